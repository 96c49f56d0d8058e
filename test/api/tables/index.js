/** The standard's sentences about the face, by section; each table can run wherever a kit can be made. */
import { callback } from './callback.js';
import { checks } from './checks.js';
import { conversion } from './conversion.js';
import { interfaces } from './interfaces.js';
import { names } from './names.js';
import { scheduling } from './scheduling.js';
import { signal } from './signal.js';
import { snapshot } from './snapshot.js';

/** @type {Record<string, import('../kit.js').Table>} */
export const tables = {
  'request(): conversion of the arguments': conversion,
  'request(): the order of checks': checks,
  'request(): callback and promises': callback,
  'request(): grants': scheduling,
  'request(): signal': signal,
  'resource names': names,
  'query()': snapshot,
  'interface objects': interfaces,
};
