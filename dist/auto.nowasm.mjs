/* lockkeeper 0.1.0, MIT */
import{install as m}from"./lockkeeper.nowasm.mjs";m();
