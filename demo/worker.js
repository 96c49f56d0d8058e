/** A dedicated or shared worker with a lane of its own. */
const source = new URL(location.href).searchParams.get('source');
if (source !== 'native') {
  /** @type {any} */ (self).LOCKKEEPER = { force: true, insecure: true };
  /** @type {any} */ (self).importScripts(source === 'js' ? '../dist/lockkeeper.nowasm.js' : '../dist/lockkeeper.js');
}
/** @type {any} */ (self).importScripts('context.js');
/** @type {any} */ (self).demo.startChild();
