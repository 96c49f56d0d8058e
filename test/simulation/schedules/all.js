/** All exact schedules, by subject and title. */
import { again } from './again.js';
import { alone } from './alone.js';
import { connections } from './connections.js';
import { deaths } from './deaths.js';
import { departures } from './departures.js';
import { doubts } from './doubts.js';
import { entering } from './entering.js';
import { freshLogs } from './fresh-logs.js';
import { gaps } from './gaps.js';
import { halfJoined } from './half-joined.js';
import { hiding } from './hiding.js';
import { joining } from './joining.js';
import { listening } from './listening.js';
import { lives } from './lives.js';
import { memory } from './memory.js';
import { needed } from './needed.js';
import { remembered } from './remembered.js';
import { repeats } from './repeats.js';
import { resuming } from './resuming.js';
import { seeming } from './seeming.js';
import { sending } from './sending.js';
import { strangers } from './strangers.js';
import { time } from './time.js';
import { unwatched } from './unwatched.js';
import { waiting } from './waiting.js';
import { wipes } from './wipes.js';

export const schedules = {
  joining, sending, deaths, doubts, time,
  'keeping and entering early': entering,
  'who ends before it has joined': halfJoined,
  'who has left': departures,
  'deaths are remembered': remembered,
  'who seems dead and comes back': seeming,
  'alone and away': alone,
  'who is hidden leaves': hiding,
  'who is hidden and needed stays': needed,
  'data is cleared': wipes,
  'who ends before it has come back': unwatched,
  'connections are closed': connections,
  'who listens, and who answers': listening,
  'fresh logs beside another one': freshLogs,
  'swept away, swapped or missed': gaps,
  'who goes on': resuming,
  'who does not go on yet': waiting,
  'lives that end or begin': lives,
  'other versions': strangers,
  'what is repeated': repeats,
  'memory is short': memory,
  'two faults at once': again,
};
