/**
 * The script-tag build: installs by itself. It is told how by data-force, data-insecure and data-join on its tag, or, where there is no
 * tag, by self.LOCKKEEPER = {force, insecure, join} set before it.
 */
import { createDefault } from './default.js';
import { global, logOpener } from './place.js';

const asked = global.LOCKKEEPER || {};
const script = global.document && global.document.currentScript;
const flags = script ? script.dataset : {};

/** @param {'force' | 'insecure' | 'join'} option */
const isAsked = (option) => asked[option] || option in flags;

createDefault(logOpener('')).install({ force: isAsked('force'), insecure: isAsked('insecure'), join: isAsked('join') });
