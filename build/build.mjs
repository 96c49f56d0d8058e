/** Builds everything: `npm run build`. Each step is a file here. */
import { buildConstants } from './constants.mjs';
import { buildBundles } from './bundle.mjs';
import { buildCore } from './core.mjs';
import { reportTools } from './tools.mjs';
import { buildTypes } from './types.mjs';

const steps = [reportTools, buildConstants, buildCore, buildBundles, buildTypes];

for (const step of steps) await step();
