/* lockkeeper 0.2.0, MIT */
(0,require("./lockkeeper.nowasm.cjs").install)();
