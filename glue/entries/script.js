/**
 * The script-tag build installs by itself. The tag says how, by data-force, data-insecure and data-join. Where there is no tag,
 * self.LOCKKEEPER = {force, insecure, join} says it; set it before this script runs.
 */
import { createDefault } from './default.js';
import { global, logOpener } from './place.js';

const { LOCKKEEPER, document } = global;
const script = document && document.currentScript;

const options = Object.assign({}, LOCKKEEPER);
// An attribute without a value is an empty string, and counts.
if (script) for (const option in script.dataset) options[option] = true;

createDefault(logOpener('')).install(options);
