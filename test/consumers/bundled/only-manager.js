import { LockManager } from 'lockkeeper';

globalThis.used = LockManager.name;
