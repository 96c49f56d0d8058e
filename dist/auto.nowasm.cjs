/* lockkeeper 0.1.0, MIT */
(0,require("./lockkeeper.nowasm.cjs").install)();
