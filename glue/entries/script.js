/**
 * The script-tag build: installs by itself. It is told how by data-force and data-insecure on its tag, or, where there is no tag, by
 * self.LOCKKEEPER = {force, insecure} set before it.
 */
import { createDefault } from './default.js';
import { global, logOpener } from './place.js';

const { force, insecure } = global.LOCKKEEPER || {};
const script = global.document && global.document.currentScript;
const flags = script ? script.dataset : {};

createDefault(logOpener('')).install({ force: force || 'force' in flags, insecure: insecure || 'insecure' in flags });
