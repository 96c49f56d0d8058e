importScripts('/library.js', '/pages/actor.js');
