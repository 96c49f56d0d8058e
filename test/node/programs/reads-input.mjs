/** Loads the package, and then reads all of its standard input at once; prints what it has read. */
import { readFileSync } from 'node:fs';
import '../../../dist/node.mjs';

console.log('loaded');
console.log(`read ${readFileSync(0, 'utf8')}`);
