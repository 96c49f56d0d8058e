'use strict';
importScripts('/library.js', '/differential/performer.js');
