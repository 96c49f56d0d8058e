/** Faults in how a context remembers deaths: D3, D4, D11, R15. */

/** @type {import('../mutations.js').Mutation[]} */
export const deaths = [
  {
    name: 'a missing record counts, whenever it was read (D3)',
    file: 'deaths.js',
    changes: [['of clients)', 'of [...clients, ...replica.members])']],
    schedule: 'D3: a read that began before a joiner was there does not bury it',
  },
  {
    name: 'who removes the record of a client that has not joined yet does not bury it (D3)',
    file: 'deaths.js',
    changes: [[" || (client === removed && stage === 'known')", '']],
    schedule: "D3, M1: whoever removes a record buries its client, though that client's join has not come yet",
  },
  {
    name: 'a death is noticed by nobody (D4)',
    file: 'deaths.js',
    changes: [['sending.gone(client);', '{}']],
    schedule: 'D4: what a dead leader held comes free',
  },
  {
    name: 'a `gone` that was lost is not posted again (D3)',
    file: 'duties.js',
    changes: [['      deaths.forgetPosted();\n      void duties.look();', '      void duties.look();']],
    schedule: 'D3: a `gone` that was lost is posted again',
  },
  {
    name: 'a `gone` that was lost before data was cleared is not posted again (D3, D11)',
    file: 'duties.js',
    changes: [['      deaths.forgetPosted();\n      alone.reset', '      alone.reset']],
    schedule: 'D11: a death that only one member has learned of, which waits for nothing, is told after data was cleared',
  },
  {
    name: 'who has not come back into an incomplete register counts as dead (D11)',
    file: 'deaths.js',
    changes: [['!incomplete && generation', 'generation']],
    schedule: 'D11: who is missing in an incomplete register has not come back yet, and lives',
  },
  {
    name: 'who is in doubt takes those whom an incomplete register lacks for dead (D11)',
    file: 'deaths.js',
    changes: [['!incomplete && generation', 'generation']],
    schedule: 'D11: who is in doubt takes nobody for dead whom an incomplete register lacks',
  },
  {
    name: 'who has learned of a death, and waits for nothing, does not tell once more (D11)',
    file: 'deaths.js',
    changes: [["replica.members.has(client) || (client === removed && stage === 'known')", 'client === removed']],
    schedule: 'D11: a death that only one member has learned of, which waits for nothing, is told after data was cleared',
  },
  {
    name: 'a death is forgotten once it is delivered (D3)',
    file: 'deaths.js',
    changes: [['if (replica.members.has(client) || (client', "if ((stage !== 'delivered' && replica.members.has(client)) || (client"]],
    schedule: 'D3: who has left stays dead, though the log goes on from a state in which it is a member',
  },
  {
    name: 'who is in doubt does not remember whom the register no longer lists (D3, D11)',
    file: 'duties.js',
    changes: [['    deaths.read(latest, known, reached);', '    if (context.mayAct()) deaths.read(latest, known, reached);']],
    schedule: 'D3, D11: a death that a context in doubt has read is told after data was cleared, though whoever removed the record died',
  },
  {
    name: 'who is in doubt forgets whom it has removed from the register (D3, D11)',
    file: 'duties.js',
    changes: [['    deaths.read(latest, known, reached);', '    if (context.mayAct()) deaths.read(latest, known, reached);']],
    schedule: 'D3, D11: a death that is seen in doubt is told after data was cleared',
  },
  {
    name: 'who acts does not remember whom the register no longer lists (D11)',
    file: 'duties.js',
    changes: [['    deaths.read(latest, known, reached);', '    if (!context.mayAct() || removed) deaths.read(latest, known, reached);']],
    schedule: 'D11: a death that a member has read, which waits for nothing, is told after data was cleared',
  },
  {
    name: 'a dead one in a register of a lower generation does not count (D11)',
    file: 'deaths.js',
    changes: [['members[client].dead : !incomplete &&', 'members[client].dead && generation >= reached : !incomplete &&']],
    schedule: 'D11: a death counts that is seen in a register of a lower generation',
  },
  {
    name: 'who has come back is buried by those who knew that it had seemed dead (D3)',
    file: 'deaths.js',
    changes: [['if (alive && alive !== death.alive && isToBeTold(client, death)) deaths.delete(client);', '']],
    schedule: 'D3: who counted as dead when its connections were closed, and has come back, is not buried by those who knew of that',
  },
  {
    name: 'who is in doubt does not see in the register that one has come back (D3)',
    file: 'deaths.js',
    changes: [['if (alive && alive', 'if (replica.current && alive && alive']],
    schedule: 'D3: who has come back is not buried by one in doubt that has read its record, though data is cleared then',
  },
  {
    name: 'who hears that another one has come back still takes it for dead (D3)',
    file: 'duties.js',
    changes: [['if (!replica.current || (context', 'if ((context']],
    schedule: 'D3: who has come back is not buried by one in doubt that has heard so, though data is cleared then',
  },
  {
    name: 'a read from before a death says that the dead one lives (D3)',
    file: 'deaths.js',
    changes: [['alive !== death.alive && ', '']],
    schedule: 'D3, D11: a read that began before a death was known does not say that the dead one lives',
  },
  {
    name: 'who comes back loses itself by a read from before (D11)',
    file: 'duties.js',
    changes: [['      if (context.membership.isReturning()) return;\n', '']],
    schedule: 'D11: who loses its connections, and comes back late, does not lose itself by a read from before',
  },
  {
    name: 'who is in doubt forgets whose `gone` it was delivered (D3)',
    file: 'duties.js',
    changes: [['      if (client !== own.id()) deaths.delivered(client);\n', '']],
    schedule: 'D10: a `gone` that was delivered in doubt counts, though messages are missed again; the third member dies',
  },
  {
    name: 'who is hidden leaves though it alone knows of a death (R15)',
    file: 'duties.js',
    changes: [['      if (deaths.areToBeTold()) return true;\n', '']],
    schedule: 'R15: who is hidden and in doubt stays while it alone knows of a death',
  },
  {
    name: 'who is hidden and in doubt leaves though it knows that one is dead whom its state does not list (R15)',
    file: 'deaths.js',
    changes: [["replica.members.has(client) || (!replica.current && stage !== 'delivered')", 'replica.members.has(client)']],
    schedule: 'R15: who is hidden and in doubt stays while it alone knows that one is dead whom its state does not list',
  },
  {
    name: 'the record of a page that has ended says that it lives (D3)',
    file: 'deaths.js',
    changes: [['alive !== death.alive && ', '']],
    schedule: 'D3: a `gone` that was delivered in doubt counts, though the record of a page that has ended is read after it',
  },
  {
    name: 'who is in doubt does not see that one has come back whom its state does not list (D3)',
    file: 'deaths.js',
    changes: [['alive !== death.alive && isToBeTold(client, death)', 'alive !== death.alive && replica.members.has(client)']],
    schedule: 'D3: who has come back is not buried by one in doubt that has read its record, and whose state does not list it',
  },
  {
    name: 'who is in doubt forgets whose `gone` it was delivered before, since the record is still there (D3)',
    file: 'deaths.js',
    changes: [["!replica.current && stage !== 'delivered'", '!replica.current']],
    schedule: 'D3: a `gone` that was delivered before a doubt counts, though the record of who has left is read in doubt',
  },
];
