/* lockkeeper 0.2.0, MIT */
import{install as m}from"./node.mjs";m();
