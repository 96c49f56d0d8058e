/** Faults in how a context asks whether a member has ended that nobody can watch: D11. */

/** @type {import('../mutations.js').Mutation[]} */
export const unwatched = [
  {
    name: 'nobody asks whether a member has ended that the register shows no alive name of (D11)',
    file: 'unwatched.js',
    changes: [['      askAfter(client, known, FIRST);\n', '']],
    schedule: 'D11: a holder that ends before it has come back after data was cleared keeps nobody waiting, elder or younger',
  },
  {
    name: 'a member that has not ended yet is not asked for again (D11)',
    file: 'unwatched.js',
    changes: [['askAfter(client, known, Math.min(2 * pause, LONGEST))', 'awaited.delete(client)']],
    schedule: 'D11: a holder that is frozen when data is cleared keeps its lock until it ends',
  },
  {
    name: 'a life seems to have ended when its context comes back after data was cleared (D11)',
    file: 'membership.js',
    changes: [['    const previous = context.connection;\n', '    const previous = context.connection;\n    place.endLife();\n']],
    schedule: 'D11: a holder that has come back under another name, and is frozen when data is cleared again, has not ended',
  },
  {
    name: 'a new connection does not ask for whom the one before has asked (D11)',
    file: 'duties.js',
    changes: [['      unwatched.reset();\n', '']],
    schedule: 'D11: who has come back, and is frozen when data is cleared again, is asked for again',
  },
  {
    name: 'only the eldest, and who waits, read of a member that joins (D11)',
    file: 'duties.js',
    changes: [['      else lookLater();\n', '']],
    schedule: 'D11: the eldest ends together with a holder that has joined late, and that nobody else has waited for',
  },
  {
    name: 'what is known of members is forgotten when data is cleared (D11)',
    file: 'unwatched.js',
    changes: [['!incomplete && replica.current && ', ''], [' && !replica.members.has(client)', '']],
    schedule: 'D11: a holder that ends before it has come back after data was cleared keeps nobody waiting, elder or younger',
  },
  {
    name: 'a name that a member had before its connections were closed is asked for (D11)',
    file: 'unwatched.js',
    changes: [['!known || known.alive !== alive', '!known']],
    schedule: 'D11: a holder that ends before it has come back is found out though all connections had been closed before',
  },
  {
    name: 'a name counts that may have been lost before this context had its own (D11)',
    file: 'unwatched.js',
    changes: [['connection.mayBeLost(alive)', 'false']],
    schedule: 'D11: a holder that is busy while all connections are closed, and then data is cleared, has not ended',
  },
  {
    name: 'a name that may have been lost is not read again (D11)',
    file: 'duties.js',
    changes: [['if (unwatched.read(latest)) lookLater();', 'unwatched.read(latest);']],
    schedule: 'D11: a holder that ends before it has come back after data was cleared keeps nobody waiting, elder or younger',
  },
  {
    name: 'nobody hands on what it knows of members that nobody can watch (D11)',
    file: 'duties.js',
    changes: [["    if (Object.keys(names).length) void transact('recall', { names });\n", '']],
    schedule: 'D11: who has joined only after data was cleared finds out all the same that a holder has ended',
  },
  {
    name: 'a name that was handed on counts though it has never shown a life (D11)',
    file: 'unwatched.js',
    changes: [['if (!known.recalled) return', 'return']],
    schedule: 'D11: what was lost before a newcomer came shows it nothing of a holder that lives',
  },
  {
    name: 'a name that was handed on is asked for only when that matters (D11)',
    file: 'unwatched.js',
    changes: [['    if (recalled) void check(known);\n', '']],
    schedule: 'D11: who has joined only after data was cleared finds out all the same that a holder has ended',
  },
  {
    name: 'a name is forgotten if an incomplete register lacks its client (D11)',
    file: 'unwatched.js',
    changes: [['!incomplete && replica.current', 'replica.current']],
    schedule: 'D11: data is cleared, and a holder ends, before the eldest was delivered its join',
  },
  {
    name: 'what has shown a life has shown none, once a later question says so (D11)',
    file: 'unwatched.js',
    changes: [['if (await place.isLiving(known.alive)) known.recalled = false;', 'known.recalled = !await place.isLiving(known.alive);']],
    schedule: 'D11: a name that was handed on has shown a life, though a question that was asked later is answered before',
  },
];
