/** Installs navigator.locks where it is missing, by being imported. */
import { install } from './index.js';

install();
