/** Importing this installs navigator.locks where it is missing. */
import { install } from './index.js';

install();
