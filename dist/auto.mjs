/* lockkeeper 0.2.0, MIT */
import{install as e}from"./lockkeeper.mjs";e();
