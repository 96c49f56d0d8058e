/** Requests, responses and events over a WebSocket: the shape that both Chromium's protocol and WebDriver BiDi have. */
import WebSocket from 'ws';
import { within } from './wait.js';

export class ProtocolSocket {
  /** @param {string} url */
  constructor(url) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 28 });
    this.lastId = 0;
    this.closed = false;
    /** @type {Map<number, {method: string, resolve: (result: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {Set<(event: {method: string, params: any}) => void>} */
    this.listeners = new Set();
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
      for (const { method, reject } of this.waiting.values()) reject(new Error(`${method}: the connection closed`));
      this.waiting.clear();
    });
    this.socket.on('message', (/** @type {Buffer} */ data) => this.receive(JSON.parse(String(data))));
  }

  /** @param {string} url */
  static async open(url) {
    const socket = new ProtocolSocket(url);
    await within(new Promise((resolve, reject) => {
      socket.socket.once('open', resolve);
      socket.socket.once('error', reject);
    }), 15000, `connect to ${url}`);
    return socket;
  }

  /** @param {any} message */
  receive(message) {
    if (typeof message.id !== 'number') {
      for (const listener of [...this.listeners]) listener(message);
      return;
    }
    const call = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!call) return;
    if (message.error) call.reject(new Error(`${call.method}: ${message.error.message ?? message.message ?? message.error}`));
    else call.resolve(message.result);
  }

  /**
   * @param {string} method
   * @param {object} [parameters]
   * @param {number} [milliseconds]
   * @returns {Promise<any>}
   */
  send(method, parameters = {}, milliseconds = 20000) {
    if (this.closed) return Promise.reject(new Error(`${method}: the connection is closed`));
    const id = ++this.lastId;
    const message = JSON.stringify({ id, method, params: parameters });
    return within(new Promise((resolve, reject) => {
      this.waiting.set(id, { method, resolve, reject });
      this.socket.send(message);
    }), milliseconds, message).finally(() => this.waiting.delete(id));
  }

  /**
   * The next event that [accept] takes.
   * @param {(event: {method: string, params: any}) => boolean} accept
   * @param {number} milliseconds
   * @param {string} what
   * @returns {Promise<{method: string, params: any}>}
   */
  event(accept, milliseconds, what) {
    /** @type {(event: {method: string, params: any}) => void} */
    let listener;
    return within(new Promise((resolve) => {
      listener = (event) => { if (accept(event)) resolve(event); };
      this.listeners.add(listener);
    }), milliseconds, what).finally(() => this.listeners.delete(listener));
  }

  close() { this.socket.terminate(); }
}
