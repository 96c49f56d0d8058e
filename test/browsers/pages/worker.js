importScripts('/library.js', '/pages/register.js', '/pages/actor.js');
