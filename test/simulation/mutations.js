/**
 * Deliberate faults in the log, to show that the simulation finds such. Each replaces some text of one file; the text must be there.
 *
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} file in glue/log
 * @property {[string, string][]} changes each from what to what
 * @property {string[]} [faults] the kinds that bring it to light
 *
 * @type {Mutation[]}
 */
export const mutations = [
  {
    name: 'entries of an old epoch still count (R4)',
    file: 'replica.js',
    changes: [['      if (epoch < replica.epoch) return;\n', ''], ['epoch === replica.led && ', '']],
    faults: ['freeze', 'hide', 'join'],
  },
  {
    name: 'what is sent again is taken for something new (R1)',
    file: 'leader.js',
    changes: [[
      '      if (operation.number === last + 1) {\n        accepted.push(operation);',
      '      {\n        accepted.push(Object.assign({}, operation, { number: last + 1 }));',
    ]],
  },
  {
    name: 'nothing is sent again (R2)',
    file: 'log.js',
    changes: [[
      '    resend() {\n      sent = 0;',
      '    resend() {',
    ]],
  },
  {
    name: 'operations are placed in any order (R1)',
    file: 'leader.js',
    changes: [[
      'if (operation.number > last + 1) {',
      'if (operation.number > last + 1 && (last = operation.number - 1) < 0) {',
    ]],
  },
  {
    name: 'a death is noticed by nobody (R10)',
    file: 'leader.js',
    changes: [[
      "if (lastPlaced(member) >= 0) number([{ type: 'gone', client: member }]);",
      '',
    ]],
  },
  {
    name: 'gone is ordered, and the record stays (R3)',
    file: 'register.js',
    changes: [[
      '? withoutMember(record, client) : undefined;',
      '? withMembers(record, {}) : undefined;',
    ]],
  },
  {
    name: 'members without a record are left in the log (R3)',
    file: 'leader.js',
    changes: [[
      'filter((member) => !record.members[member])',
      'filter(() => false)',
    ]],
  },
  {
    name: 'whoever wants takes over, whatever the register shows (R8)',
    file: 'register.js',
    changes: [
      ['!still(record, expected) ||', ''],
      ['{ epoch: Math.max(epoch, record.epoch + 1), leader: client }', '{ epoch, leader: client }'],
    ],
    faults: ['kill', 'stall', 'join', 'hide'],
  },
  {
    name: 'the leader acts when it posts, not when it is delivered it',
    file: 'leader.js',
    changes: [[
      '      unposted = unposted.concat(operations);\n',
      '      unposted = unposted.concat(operations);\n      context.applyAtOnce(operations);\n',
    ]],
  },
  {
    name: 'the cut is where prepare is posted (R9)',
    file: 'election.js',
    changes: [[
      "      context.post('prepare', log, epoch, leader);",
      "      context.post('prepare', log, epoch, leader);\n      replica.epoch = epoch;",
    ]],
    faults: ['freeze', 'hide', 'join'],
  },
  {
    name: 'a hello does not end being alone (R6)',
    file: 'leader.js',
    changes: [[
      '      leader.alone = false;\n      cancelAloneAgain();',
      '      cancelAloneAgain();',
    ]],
  },
  {
    name: 'alone whatever the register shows and whoever has said hello (R6)',
    file: 'leader.js',
    changes: [['verified === hellos && ', '']],
  },
  {
    name: 'a snapshot is believed, and one\'s own requests are not compared with it (R7)',
    file: 'joining.js',
    changes: [['own.compare(replica.core.state(), replica.core.foresee(own.outstanding()));', '']],
    faults: ['freeze', 'stall', 'hide', 'stop'],
  },
  {
    name: 'a fresh log does not wait for the living (R11)',
    file: 'joining.js',
    changes: [[
      '    if (waits) return;',
      '',
    ]],
  },
  {
    name: 'a take-over where order differs waits for nobody (R9)',
    file: 'election.js',
    changes: [[
      '!place.oneOrder && member !== own.id()',
      'false',
    ]],
    faults: ['freeze', 'hide', 'join'],
  },
  {
    name: 'a silent leader is left alone (R12)',
    file: 'log.js',
    changes: [[
      '        void election.suspect();',
      '',
    ]],
  },
  {
    name: 'after a wipe whoever has not come back counts as dead (R17)',
    file: 'register.js',
    changes: [[
      'record = withMembers(known, record.members);',
      'record = withMembers(Object.assign({}, known, { members: {}, incomplete: false }), record.members);',
    ]],
    faults: ['wipe', 'stop'],
  },
  {
    name: 'a message is acted upon before it is applied whole (R5)',
    file: 'log.js',
    changes: [[
      'happened: own.eventHappened,',
      'happened: (event, operation) => (own.eventHappened(event, operation), own.tellListeners(context.tellSoon)),',
    ]],
  },
  {
    name: 'what came while a copy had no state is forgotten',
    file: 'log.js',
    changes: [[
      'joining.restore(state).forEach((again) => again());',
      'joining.restore(state);',
    ]],
    faults: ['freeze', 'hide', 'join'],
  },
  {
    name: 'whoever seems dead is dead at once (R17)',
    file: 'connection.js',
    changes: [[
      'const CONFIRMED = 100;',
      'const CONFIRMED = 0;',
    ]],
    faults: ['closeStorage', 'slowStorage'],
  },
  {
    name: 'an empty register is believed, whoever is heard (R11)',
    file: 'joining.js',
    changes: [['heard = true;', '']],
    faults: ['wipe', 'join'],
  },
  {
    name: 'a lock is kept though somebody waits for it (R20)',
    file: 'log.js',
    changes: [['\n    && !replica.core.state().pending.some(({ names }) => names.includes(name))', '']],
  },
  {
    name: 'a lock is kept though its release was sent (R20)',
    file: 'log.js',
    changes: [['(name) => sendScheduled && ', '(name) => '], ['      jobs = early ? JOBS : 0;\n', '      if (early) jobs = JOBS;\n']],
  },
  {
    name: 'somebody enters early what has no place yet (R21)',
    file: 'own-requests.js',
    changes: [['!outstanding.has(number) && request && ', 'request && ']],
  },
  {
    name: 'somebody enters early where a release is yet to be forced (R21)',
    file: 'log.js',
    changes: [['/^[dr]/', '/^[drf]/']],
  },
  {
    name: 'somebody enters early where a deadline is yet to pass (R21)',
    file: 'log.js',
    changes: [['/^[dr]/', '/^[drt]/']],
  },
  {
    name: 'what was entered early is held on though it is stolen (R21)',
    file: 'own-requests.js',
    changes: [["if (type === 'granted' && isRequest && operation.steal) {", 'if (!type) {']],
  },
  {
    name: 'what was entered early is entered again when it is granted (R21)',
    file: 'own-requests.js',
    changes: [["if (type !== 'granted' || request.status === 'open') tell(", 'tell(']],
  },
];
