/**
 * Whether this thread is the only context of its manager. Then nobody else writes to the journal, and what it has written need not be
 * read back.
 *
 * Whoever comes makes its sign of life, listens, says hello, and only then opens the journal. So this context is alone if the directory,
 * listed while it listened, showed no other sign, and no hello has come since: whoever had none then said hello after that, and before it
 * wrote anything. BroadcastChannel puts a message into every listener's queue before postMessage() returns, whatever that thread does,
 * and receiveMessageOnPort() looks into the queue at once.
 */
import { readdirSync } from 'node:fs';
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';

/** @typedef {ReturnType<typeof createSolitude>} Solitude */

/** @param {string} directory @param {(client: string) => string} signOf the name of that context's sign of life in [directory] */
export const createSolitude = (directory, signOf) => {
  /** @type {any} */
  let channel;
  let alone = false;

  const solitude = {
    /** [client], this context, has its sign of life, and has read nothing of the journal yet. @param {string} client */
    begin(client) {
      solitude.end();
      channel = new BroadcastChannel(`${directory}:hello`);
      channel.unref();
      channel.postMessage(0);
      const sign = signOf(client);
      alone = readdirSync(directory).every((entry) => entry === 'log' || entry === sign);
      if (!alone) solitude.end();
    },

    /** Whether nobody else has written to the journal up to now. */
    isAlone() {
      if (alone && receiveMessageOnPort(channel)) solitude.end();
      return alone;
    },

    end() {
      alone = false;
      channel?.close();
      channel = undefined;
    },
  };
  return solitude;
};
