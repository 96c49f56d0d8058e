/** All exact schedules, by subject and title. */
import { again } from './again.js';
import { alone } from './alone.js';
import { changes } from './changed.js';
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
  'joiners that end': halfJoined,
  'members that have left': departures,
  'deaths are remembered': remembered,
  'false deaths': seeming,
  'alone and away': alone,
  'hidden contexts leave': hiding,
  'hidden contexts that are needed stay': needed,
  'data is cleared': wipes,
  'members that end before they are back': unwatched,
  'connections are closed': connections,
  'newcomers listen, members answer': listening,
  'fresh logs beside another one': freshLogs,
  'messages are deleted, swapped or missed': gaps,
  'a member continues': resuming,
  'no member continues yet': waiting,
  'lives that end or begin': lives,
  'other versions': strangers,
  'messages are repeated': repeats,
  'messages are repeated, and changed': changes,
  'memory is short': memory,
  'two faults at once': again,
};
