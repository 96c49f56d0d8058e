/* lockkeeper 0.2.0, MIT */
// glue/entries/auto.js
import { install } from "./node.nowasm.mjs";
install();
