/** Faults in how a context asks whether a member that nobody can watch has ended: D11. */

/** @type {import('../mutations.js').Mutation[]} */
export const unwatched = [
  {
    name: 'nobody asks whether a member without an alive name in the register has ended (D11)',
    file: 'unwatched.js',
    changes: [['      askAfter(client, known, FIRST);\n', '']],
    schedule: 'D11: a holder, elder or younger, that ends before it is back after data was cleared keeps nobody waiting',
  },
  {
    name: 'members ask only once whether a member has ended (D11)',
    file: 'unwatched.js',
    changes: [['askAfter(client, known, Math.min(2 * pause, LONGEST))', 'awaited.delete(client)']],
    schedule: 'D11: a holder that is frozen when data is cleared keeps its lock until it ends',
  },
  {
    name: 'a life seems to have ended when its context comes back after data was cleared (D11)',
    file: 'membership.js',
    changes: [['    const previous = context.connection;\n', '    const previous = context.connection;\n    place.endLife();\n']],
    schedule: 'D11: a holder that has come back under another name, and is frozen when data is cleared again, keeps its lock',
  },
  {
    name: 'a new connection does not ask for the members that the earlier one has asked for (D11)',
    file: 'duties.js',
    changes: [['      unwatched.reset();\n', '']],
    schedule: 'D11: a holder comes back, is frozen when data is cleared again, and ends: a waiter is served',
  },
  {
    name: 'only the eldest and waiters read the record of a member that joins (D11)',
    file: 'duties.js',
    changes: [['      else lookLater();\n', '']],
    schedule: 'D11: the eldest ends together with a holder that has joined late: a context that asks then is served',
  },
  {
    name: 'what is known of members is forgotten when data is cleared (D11)',
    file: 'unwatched.js',
    changes: [['!incomplete && replica.current && ', ''], [' && !replica.members.has(client)', '']],
    schedule: 'D11: a holder, elder or younger, that ends before it is back after data was cleared keeps nobody waiting',
  },
  {
    name: 'a member asks for the name that another one had before its connections were closed (D11)',
    file: 'unwatched.js',
    changes: [['!known || known.alive !== alive', '!known']],
    schedule: 'D11: a holder ends before it is back: a waiter is served, though all connections had been closed before',
  },
  {
    name: 'a name counts though it may have been lost before this context had its own (D11)',
    file: 'unwatched.js',
    changes: [['connection.mayBeLost(alive)', 'false']],
    schedule: 'D11: a holder that is busy while all connections are closed, and then data is cleared, keeps its lock',
  },
  {
    name: 'a name that may have been lost is not read again (D11)',
    file: 'duties.js',
    changes: [['if (unwatched.read(latest)) lookLater();', 'unwatched.read(latest);']],
    schedule: 'D11: a holder, elder or younger, that ends before it is back after data was cleared keeps nobody waiting',
  },
  {
    name: 'no member recalls the names of members that nobody can watch (D11)',
    file: 'duties.js',
    changes: [["    if (Object.keys(names).length) void transact('recall', { names });\n", '']],
    schedule: 'D11: a context that joins only after data was cleared learns all the same that a holder has ended',
  },
  {
    name: 'a recalled name counts though it has never shown a life (D11)',
    file: 'unwatched.js',
    changes: [['if (!known.recalled) return', 'return']],
    schedule: 'D11: a newcomer does not take a living holder for dead because of a name that was lost before the newcomer came',
  },
  {
    name: 'a member asks for a recalled name only when that matters (D11)',
    file: 'unwatched.js',
    changes: [['    if (recalled) void check(known);\n', '']],
    schedule: 'D11: a context that joins only after data was cleared learns all the same that a holder has ended',
  },
  {
    name: 'a name is forgotten if an incomplete register lacks its client (D11)',
    file: 'unwatched.js',
    changes: [['!incomplete && replica.current', 'replica.current']],
    schedule: 'D11: data is cleared, and a holder ends, before its `join` is delivered to the eldest: a waiter is served',
  },
  {
    name: 'a recalled name that has shown a life no longer counts once a later question finds none (D11)',
    file: 'unwatched.js',
    changes: [['if (await place.isLiving(known.alive)) known.recalled = false;', 'known.recalled = !await place.isLiving(known.alive);']],
    schedule: 'D11: a recalled name that has shown a life counts, though a later question finds that this life has ended',
  },
];
