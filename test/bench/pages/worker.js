/** A worker that measures as the page does: a message is a measure's name and its parameters, the answer what it returns. */
'use strict';
importScripts('/library.js', '/bench/measures.js');

self.onmessage = async ({ data: [name, ...parameters] }) => self.postMessage(await self.measures[name](...parameters));
