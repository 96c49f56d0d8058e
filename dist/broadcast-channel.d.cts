/** lockkeeper/broadcast-channel: by being imported, gives browsers without BroadcastChannel one that is good enough for Lockkeeper. */
export {};
