/* lockkeeper 0.2.0, MIT */
import{install as m}from"./lockkeeper.nowasm.mjs";m();
