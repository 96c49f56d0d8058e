/**
 * A rejection that nobody handles fails the test during which it happens. Mocha passes it on to other listeners, and fails nothing itself.
 */
process.on('unhandledRejection', (reason) => {
  throw reason;
});
