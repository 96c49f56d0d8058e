/** Gives browsers without BroadcastChannel one that is good enough for Lockkeeper. To be loaded before it, in every context. */
import { StorageChannel } from '../platform/browser-storage-channel.js';

/** @type {any} */
const realm = typeof self === 'undefined' ? globalThis : self;
if (!realm.BroadcastChannel) realm.BroadcastChannel = StorageChannel;
