/**
 * An unhandled rejection fails the test that runs. Mocha hands it to all other listeners without itself, and passes the test if
 * there are none. A test that listens itself decides itself.
 */
process.on('unhandledRejection', (reason) => {
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
});
