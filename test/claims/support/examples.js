/** The example clients, with the program that each needs. */
import { fileURLToPath } from 'node:url';

export const CLIENTS = { 'with-claim.sh': 'curl', 'lockkeeper_claims.py': 'python3' };

/** @param {string} name */
export const scriptOf = (name) => fileURLToPath(new URL(`../../../claims/examples/${name}`, import.meta.url));
