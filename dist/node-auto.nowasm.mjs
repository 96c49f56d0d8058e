/* lockkeeper 0.2.0, MIT */
import{install as m}from"./node.nowasm.mjs";m();
