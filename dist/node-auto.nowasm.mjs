/* lockkeeper 0.1.0, MIT */
import{install as m}from"./node.nowasm.mjs";m();
