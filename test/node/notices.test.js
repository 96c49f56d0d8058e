import { schedules } from './simulation/schedules.js';

describe('node: who is told, whatever happens to whoever writes', () => {
  for (const [title, run] of Object.entries(schedules)) it(title, () => run());
});
