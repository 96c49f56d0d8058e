const { locks } = require('lockkeeper');

self.result = locks.request('first', ({ name }) => name);
