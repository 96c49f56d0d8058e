/* lockkeeper 0.1.0, MIT */
import{install as e}from"./lockkeeper.mjs";e();
