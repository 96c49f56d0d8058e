/* lockkeeper 0.2.0, MIT */
"use strict";

// glue/entries/auto.js
var import_index = require("./lockkeeper.cjs");
(0, import_index.install)();
