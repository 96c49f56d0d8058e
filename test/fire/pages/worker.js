importScripts('/library.js', '/fire/contender.js');
