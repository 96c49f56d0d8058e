/** All exact schedules, by subject and title. */
import { again } from './again.js';
import { alone } from './alone.js';
import { deaths } from './deaths.js';
import { doubts } from './doubts.js';
import { entering } from './entering.js';
import { hiding } from './hiding.js';
import { joining } from './joining.js';
import { listening } from './listening.js';
import { lives } from './lives.js';
import { resuming } from './resuming.js';
import { sending } from './sending.js';
import { time } from './time.js';
import { wipes } from './wipes.js';

export const schedules = {
  joining, sending, deaths, doubts, 'keeping and entering early': entering, time, 'cleared and lost': wipes,
  'alone and away': alone, resuming, 'lives that end or begin': lives,
  'two faults at once': again, 'who is hidden': hiding, 'who listens, and who answers': listening,
};
