/* lockkeeper 0.1.0, MIT */
(0,require("./lockkeeper.cjs").install)();
