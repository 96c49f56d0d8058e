/**
 * The script-tag build installs locks by itself. Its options are the tag's attributes data-force, data-insecure and data-join. If there is
 * no tag, set self.LOCKKEEPER = {force, insecure, join} before this script runs.
 */
import { createDefault } from './default.js';
import { global, logOpener } from './place.js';

const { LOCKKEEPER, document } = global;
const script = document && document.currentScript;

const options = Object.assign({}, LOCKKEEPER);
// An attribute without a value is an empty string, and counts.
if (script) for (const option in script.dataset) options[option] = true;

createDefault(logOpener('')).install(options);
