/** Deliberate faults in glue/order, which the random worlds find. @type {{name: string, file: string, changes: [string, string][]}[]} */
export const mutations = [
  {
    name: 'an order that was closed delivers later messages',
    file: 'store.js',
    changes: [['if (closed || key <= last) return;', 'if (key <= last) return;']],
  },
  {
    name: 'an order that was closed tells of gaps',
    file: 'store.js',
    changes: [['    if (!closed) call(onGap);\n    void work();', '    call(onGap);\n    void work();']],
  },
  {
    name: 'no context is told that messages were swept away',
    file: 'store.js',
    changes: [['if (key > last + 1) call(onGap);', '']],
  },
  {
    name: 'a context that has lost its connection is told of no gap',
    file: 'store.js',
    changes: [['    if (!closed) call(onGap);\n    void work();', '    void work();']],
  },
  {
    name: 'after a deletion, keys are compared with those of before, though the clock has gone back',
    file: 'store.js',
    changes: [['    connection = undefined;\n    last = 0;', '    connection = undefined;']],
  },
  {
    name: 'a context that has nothing to send sweeps',
    file: 'store.js',
    changes: [['unswept >= SWEEP && sending.length > 0', 'unswept >= SWEEP']],
  },
  {
    name: 'a message that could not be added is added behind later ones',
    file: 'store.js',
    changes: [['connection && sending.length && sender > number', 'false']],
  },
  {
    name: 'a message that may have been added before the connection was lost is added again',
    file: 'store.js',
    changes: [['} else if (connection || away || closed) outgoing', '} else if (connection || !away || closed) outgoing']],
  },
  {
    name: 'an order that was closed keeps its connection',
    file: 'store.js',
    changes: [['(away || !outgoing.length || (failed', '(away || (failed']],
  },
  {
    name: 'a context that has failed once reads no more',
    file: 'store.js',
    changes: [['    failed = false;\n', '']],
  },
  {
    name: 'the contexts of a thread send at the same time',
    file: 'turns.js',
    changes: [['if (first[UNSENT] && first[UNSENT] !== flush) first[UNSENT]();', '']],
  },
];
