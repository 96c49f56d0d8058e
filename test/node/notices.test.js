import { schedules } from './simulation/schedules.js';
import { threadSchedules } from './simulation/thread-schedules.js';

describe('node: who is told, whatever happens to whoever writes', () => {
  for (const [title, run] of Object.entries(schedules)) it(title, () => run());
});

describe('node: what threads are told', () => {
  for (const [title, run] of Object.entries(threadSchedules)) it(title, () => run());
});
