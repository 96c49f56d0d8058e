/*
 * The log over one order that is not kept, with a register that is wiped, as a model for spin. README.md says how to read it.
 *
 * It has the rules D6 and D11: which context begins a log, which writes the register anew, and which records are complete. The rest is
 * as in order-broadcast.pml, or simpler. A wipe closes a context's connections. It learns that only when it comes back: it may post, but
 * none of its transactions succeeds.
 */

/* Bounds. */
#ifndef CONTEXTS
#define CONTEXTS 3
#endif
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef WIPES
#define WIPES 1
#endif
#ifndef HELLOS
#define HELLOS 1
#endif
#ifndef MESSAGES
#define MESSAGES 3
#endif

#define ANSWERS_AT_ONCE 5

mtype = { nothing, hello, here, state, begin, anew, operation, gone };

#define OUT 0
#define REGISTERED 1 /* Has a record, and asks. */
#define GREETING 2
#define WAITING 3
#define EMPTY 4      /* Has a record in a register without a log, and listens. */
#define LISTENING 5  /* Its first hello is posted. */
#define HEARD 6      /* And delivered. */
#define WRITTEN 7    /* Has written a fresh log into the register. */
#define BEGINNING 8
#define RESTORED 9
#define MEMBER 10
#define ENDED 11     /* Its client is over: its lock is lost. It would begin anew as another client. */

/* The register. A record may be stateful, named (its alive name is known), or say that its client is dead. */
byte registerLog;
byte records;
byte named;
byte stateful;
byte marks;
bit incomplete;
byte generation;

typedef Context {
  byte at;
  byte phase;
  byte log;
  byte hellos;
  byte queue;
  byte members;
  short last;
  byte generation;  /* The greatest that the log has told it. */
  byte committed;   /* The generation in which its `stateful` was committed. */
  byte sent;
  bit running;
  bit granted;
  bit looked;
  bit alone;
  byte burying;
  byte buried;
  bit lost;         /* Its connections have been closed by a wipe, and it has not come back. */
  byte posting;     /* The generation that it has to tell of. */
  byte told;        /* That it has told of. */
  byte completing;  /* That was delivered to it as its own. */
  byte heard;       /* The sender of a first hello that was delivered here: */
  short disturbed;  /* and then the logs that sent something, three bits each. */
  byte over;        /* The log that its own replaces, and whose members are all known to be dead. */
  byte voided;      /* The clients whose `begin` was void. */
  bit doubting;     /* A `begin` of another log was delivered: it does nothing until the register has decided. */
};
Context context[CONTEXTS];
byte crashes;
byte wipes;
byte unknowable; /* Clients that died before they had come back: no context can be told of that. */
byte excused; /* Clients that had not been delivered a newcomer's first hello when it posted its `begin`. */

#define CURRENT(c) (context[c].phase == RESTORED || context[c].phase == MEMBER)
#define ACTS(c) (context[c].phase == MEMBER && !context[c].doubting)
#define EXCUSED(c, i) (context[c].log != context[i].log && has(excused, i) || context[c].log != context[i].log && has(excused, c))
#define LIVES(c) (!has(dead, c))
#define LISTENS(c) (LIVES(c) && context[c].phase != OUT && context[c].phase != ENDED)
#include "order-core.pml"
#include "order-channel.pml"
#undef PACKED
#define PACKED(c) (context[c].queue | (context[c].members << 6) | (context[c].last << 12) | (1 << 21) | (context[c].generation << 22))

inline drop(c) {
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.generation = 0;
  me.alone = 0;
  me.looked = 0;
  me.doubting = 0;
  me.burying = 0;
  me.buried = 0;
  me.posting = 0;
  me.told = 0;
  me.completing = 0
}

/* Its client is over; its record is removed, if it can still reach it. */
inline end_(c) {
  printf("%d is lost\n", c);
  claim(3, !me.running || has(excused, c));
#ifndef ENDS_SILENTLY
  if
  :: CURRENT(c) && me.sent > 0 -> post(gone, c, me.log, c, 0, 0)
  :: else
  fi;
#endif
  if
  :: !me.lost -> removeRecord(c)
  :: else
  fi;
  drop(c);
  me.lost = 0;
  me.phase = ENDED;
  me.running = 0;
  me.committed = 0;
  me.heard = 0;
  me.disturbed = 0;
  me.voided = 0;
  me.log = 0;
  me.at = 0
}

/* While the register is incomplete, a stateful record that is removed leaves a mark. */
inline removeRecord(d) {
  if
#ifndef DEATH_UNMARKED
  :: incomplete && has(stateful | ~records, d) -> marks = marks | (1 << (d))
#endif
  :: else
  fi;
  records = records & ~(1 << (d));
  stateful = stateful & ~(1 << (d));
  named = named & ~(1 << (d))
}

#define ANSWERS(c) (context[c].phase == MEMBER && in(context[c].members, c) && !context[c].doubting && \
  ((context[c].members >> (2 * ((message.number - 1) % length(context[c].members)))) & 3) == c + 1)

/* A first hello has number 0: a context with state says `here`. */
inline hearHello(c) {
  if
  :: message.number == 0 ->
    me.heard = me.heard | (1 << message.from);
    me.disturbed = me.disturbed & ~(7 << (3 * message.from))
  :: else
  fi;
  if
  :: message.from == c && me.phase == GREETING && message.number == me.hellos -> me.phase = WAITING
  :: message.from == c && me.phase == LISTENING && message.number == 0 -> me.phase = HEARD
  :: message.from != c ->
    me.alone = 0;
    me.looked = 0;
    if
    :: message.number == 0 && me.phase == MEMBER && !me.doubting -> post(here, c, me.log, 0, 0, 0)
    :: message.number != 0 && ANSWERS(c) -> post(state, c, me.log, message.from, message.number, PACKED(c))
    :: else
    fi
  :: else
  fi
}

#ifdef BEGIN_NEVER_VOID
#define VOID(c, who) false
#else
#define VOID(c, who) (((context[c].disturbed >> (3 * (who))) & 7 & ~(1 << (who)) & ~((1 << message.client) >> 1)) != 0)
#endif

/* D6. A `begin` is void if something of another log was delivered between it and its sender's first hello. */
inline hearBegin(c) {
  k = message.from;
  if
  :: VOID(c, k) ->
    me.voided = me.voided | (1 << k);
    if
    :: k == c && me.log == k + 1 -> withdraw(c)
    :: else
    fi
  :: else ->
    me.voided = me.voided & ~(1 << k);
    if
    :: k == c && me.phase == BEGINNING -> me.phase = MEMBER; me.generation = me.committed
    :: k != c && CURRENT(c) && me.log != message.log -> me.doubting = 1; me.alone = 0; me.looked = 0
    :: else
    fi
  fi
}

/* Its own `begin` was void: the register is as if it had not begun. */
inline withdraw(c) {
  printf("%d withdraws\n", c);
  if
  :: !me.lost && registerLog == me.log ->
    registerLog = 0;
    stateful = 0
  :: else
  fi;
  end_(c)
}

inline deliver(c) {
  m = me.at;
  me.at++;
  printf("%d is delivered %e from %d: log %d, client %d, number %d\n",
    c, message.kind, message.from, message.log, message.client, message.number);
  if
  :: message.kind == begin -> hearBegin(c)
  :: else
  fi;
  if
  :: message.kind != hello && me.phase != ENDED ->
    for (k : 0 .. CONTEXTS - 1) {
      me.disturbed = me.disturbed | ((has(me.heard, k) << (message.log - 1)) << (3 * k))
    }
  :: else
  fi;
  if
  :: message.kind == hello -> hearHello(c)
  :: message.kind == operation && CURRENT(c) && message.log == me.log ->
    if
    :: message.from != c -> me.alone = 0; me.looked = 0
    :: else
    fi;
    if
#ifndef JOIN_OF_ANY_GENERATION
    :: message.number == 1 && message.client < me.generation ->
      printf("the join of %d is refused\n", message.from);
      if
      :: message.from == c -> end_(c)
      :: else
      fi
#endif
    :: else ->
      k = message.from;
      apply(c, k, message.number);
      compareMembers(c)
    fi
  :: message.kind == gone && CURRENT(c) && message.log == me.log ->
    if
    :: message.from != c -> me.alone = 0; me.looked = 0
    :: else
    fi;
    if
    :: message.client == c -> claim(5, has(excused, c)); end_(c)
    :: else -> k = message.client; apply(c, k, 0); compareMembers(c)
    fi
  :: message.kind == anew && CURRENT(c) && message.log == me.log ->
    if
    :: message.number > me.generation -> me.generation = message.number
    :: else
    fi;
    if
    :: message.from == c && me.phase == MEMBER -> me.completing = message.number
    :: message.from != c -> me.alone = 0; me.looked = 0
    :: else
    fi;
    compareMembers(c)
  :: else
  fi;
  trim()
}

/* A context whose join has not been delivered may have been forgotten: its join tells. */
inline compareMembers(c) {
  if
  :: in(me.members, c) -> compare(c)
  :: else
  fi
}

#define STATE_AT(c, slot) (order[slot].kind == state && order[slot].client == c && order[slot].log == context[c].log && \
  order[slot].number == context[c].hellos)

inline restore(c) {
  m = me.at;
  do
  :: STATE_AT(c, m) -> break
  :: else -> m++
  od;
  unpack(c, message.content);
  me.generation = message.content >> 22;
  me.phase = RESTORED;
  printf("%d restores the state that %d has sent\n", c, message.from)
}

/* Stateful records with clients that may live, as far as any context can know. */
#define LIVING_NAMED (stateful & named & ~dead)
#define DISTURBED(c) (((context[c].disturbed >> (3 * (c))) & 7) != 0)
#define MAY_BEGIN(c) (registerLog == 0 && has(records, c) || registerLog != 0 && (stateful & named & ~dead & ~(1 << (c))) == 0)

inline addRecord(c) {
  records = records | (1 << c);
  named = named | (1 << c);
  stateful = stateful & ~(1 << c);
  marks = marks & ~(1 << c);
  me.committed = generation
}

/* D2, D11. [listened]: nothing of any log was delivered since its first hello. */
inline enroll(c, listened) {
  drop(c);
  me.lost = 0;
  me.log = 0;
  if
  :: (stateful & ~dead & ~(1 << c)) == 0 && registerLog != 0 && !incomplete || (listened) && MAY_BEGIN(c) ->
#ifdef OVER_WHO_MAY_LIVE
    me.over = registerLog;
#else
    me.over = ((stateful & ~dead & ~(1 << c)) == 0 && !incomplete) * registerLog;
#endif
    registerLog = c + 1;
    records = (records & ~stateful & ~dead) | (1 << c);
    stateful = 1 << c;
    named = records;
    marks = 0;
    incomplete = 0;
    generation = (generation == 0 -> 1 : generation);
    me.committed = generation;
    me.log = c + 1;
    me.phase = WRITTEN;
    printf("%d writes a log\n", c)
  :: else ->
    addRecord(c);
    if
    :: registerLog == 0 || LIVING_NAMED == 0 -> me.phase = EMPTY
    :: else -> me.phase = REGISTERED; me.log = registerLog
    fi;
    printf("%d enters the register: log %d\n", c, me.log)
  fi
}

inline becomeMember(c) {
  if
  :: registerLog == me.log && has(records, c) ->
    stateful = stateful | (1 << c);
    me.phase = MEMBER;
    resume(c)
  :: else ->
    if
    :: me.sent > 0 -> end_(c)
    :: else -> enroll(c, false)
    fi
  fi
}

/* D11: it opens new connections, and writes its record again; a register without a log gets its own back. */
#define OVER(c) (registerLog == 0 || has(context[c].voided, registerLog - 1) || registerLog != context[c].log && LIVING_NAMED == 0)
inline comeBack(c) {
  k = me.committed;
  printf("%d comes back\n", c);
  me.alone = 0;
  me.looked = 0;
  me.lost = 0;
  if
  :: registerLog == me.log -> addRecord(c)
  :: else ->
    records = records & ~stateful;
    stateful = 0;
    marks = 0;
    addRecord(c);
    registerLog = me.log;
    generation = me.generation + 1;
#ifdef COMPLETE_AT_ONCE
    records = records | setOf(me.members);
    stateful = setOf(me.members)
#else
    incomplete = 1;
    me.posting = generation
#endif
  fi;
  stateful = stateful | (1 << c);
  me.committed = k;
  me.doubting = 0;
  me.phase = MEMBER;
  resume(c)
}

/* It may again do what its state says. */
inline resume(c) {
  if
  :: ACTS(c) && first(me.queue) == c + 1 && !me.granted -> enter(c)
  :: else
  fi
}

/* Its own `anew` was delivered: all members of its state have a record from now on. */
inline complete(c) {
  if
  :: registerLog == me.log && generation == me.completing && incomplete ->
    stateful = stateful | (setOf(me.members) & ~records & ~marks);
    records = records | (setOf(me.members) & ~marks);
    bury(c, marks & setOf(me.members) & ~me.buried);
    marks = 0;
    incomplete = 0;
    printf("%d completes the register\n", c)
  :: else
  fi;
  me.completing = 0
}

inline bury(c, whom) {
  me.burying = me.burying | (whom);
  me.buried = me.buried | (whom)
}

#define ACTS_FOR_OTHERS(c) (LIVES(c) && context[c].phase == MEMBER && in(context[c].members, c) && !context[c].lost && \
  !context[c].doubting && registerLog == context[c].log)
#define LEADS(c) (first(context[c].members) == c + 1)
#define WATCHES(c, d) (LEADS(c) || first(context[c].members) == (d) + 1 || before(context[c].queue, d, c))
#define LEARNS(c, d) (has(dead & named, d) && (in(context[c].members, d) && WATCHES(c, d) || LEADS(c)))
#ifdef ABSENT_WHILE_INCOMPLETE
#define ABSENT(c) (setOf(context[c].members) & ~records & ~context[c].buried & ~(1 << (c)))
#else
#define ABSENT(c) (setOf(context[c].members) & ~records & ~context[c].buried & ~(1 << (c)) & (marks | 7 * (1 - incomplete)))
#endif

inline learn(c, d) {
  removeRecord(d);
  bury(c, 1 << (d));
  printf("%d is told that %d is dead\n", c, d)
}

inline postGone(c) {
  n = (has(me.burying, 0) -> 0 : (has(me.burying, 1) -> 1 : 2));
  me.burying = me.burying & ~(1 << n);
  claim(5, has(dead | excused, n) || context[n].phase == ENDED);
  post(gone, c, me.log, n, 0, 0)
}

#define OWN_AT(c, slot) (order[slot].from == c)
#define SEES_NOBODY(c) (context[c].phase == MEMBER && context[c].members == c + 1 && context[c].burying == 0 && \
  context[c].posting == 0 && context[c].completing == 0 && !context[c].doubting && \
  lastOf(context[c].last, c) == context[c].sent && !ANY_SLOT(c, OWN_AT))
#define SHOWN_ALONE(c) (records == 1 << (c) && !context[c].lost && registerLog == context[c].log && !incomplete)

inline act(c) {
  decide(c);
  if
  :: me.alone -> n = c; apply(c, n, me.sent)
  :: else -> post(operation, c, me.log, me.committed * (me.sent == 1), me.sent, 0)
  fi
}

/* A context that has not read this newcomer's first hello is too slow to be heard. */
inline postBegin(c) {
#ifdef BEGIN_NOT_AWAITED
  me.phase = MEMBER;
  me.generation = me.committed;
  me.alone = 1;
#else
  me.phase = BEGINNING;
#endif
  k = me.over;
  me.over = 0;
  post(begin, c, me.log, k, 0, 0);
  for (k : 0 .. CONTEXTS - 1) {
    if
    :: k != c && !has(context[k].heard, c) -> excused = excused | (1 << k)
    :: else
    fi
  };
  skip /* A d_step may not end with a loop. */
}

inline postFirstHello(c) {
  me.phase = LISTENING;
  post(hello, c, 0, 0, 0, 0);
  for (k : 0 .. CONTEXTS - 1) {
    context[k].heard = context[k].heard & ~(1 << c);
    context[k].disturbed = context[k].disturbed & ~(7 << (3 * c))
  };
  skip /* A d_step may not end with a loop. */
}

inline wipe() {
  printf("the data is wiped\n");
  wipes++;
  registerLog = 0;
  records = 0;
  named = 0;
  stateful = 0;
  marks = 0;
  incomplete = 0;
  generation = 0;
  unknowable = unknowable | dead;
  for (k : 0 .. CONTEXTS - 1) {
    if
    :: LISTENS(k) -> context[k].lost = 1
    :: else
    fi
  };
  skip /* A d_step may not end with a loop. */
}

#ifdef ENDS_SILENTLY
#define SILENT true
#else
#define SILENT false
#endif
#define ASKS(c) (context[c].phase == GREETING || context[c].phase == WAITING)
#define MORE_HELLOS (HELLOS + CONTEXTS)
#define WAITS_FOR(c, d) (has(unknowable, d) && before(context[c].queue, d, c))
#define SERVED(c) (!LIVES(c) || context[c].phase == ENDED || \
  (context[c].phase == MEMBER && lastOf(context[c].last, c) == FINAL(c) && !context[c].running) || \
  (context[c].phase == MEMBER && (WAITS_FOR(c, 0) || WAITS_FOR(c, 1) || WAITS_FOR(c, 2))))

proctype tasks(byte c) {
end:
  do
  :: d_step { LISTENS(c) && me.at < posted && me.phase != WAITING -> deliver(c) }
  :: d_step { LIVES(c) && me.phase == WAITING && ANY_SLOT(c, STATE_AT) -> restore(c) }
  :: d_step { LIVES(c) && me.phase == OUT -> me.at = posted; enroll(c, false) }
  :: d_step { LIVES(c) && me.phase == EMPTY && room -> postFirstHello(c) }
  :: d_step { LIVES(c) && me.phase == HEARD && !me.lost && (!DISTURBED(c) || registerLog != 0) -> enroll(c, !DISTURBED(c)) }
  :: d_step { timeout && LIVES(c) && me.phase == HEARD && !me.lost && DISTURBED(c) -> enroll(c, false) }
  :: d_step { LIVES(c) && me.phase == REGISTERED && room -> me.hellos++; me.phase = GREETING; post(hello, c, 0, 0, me.hellos, 0) }
  :: d_step { LIVES(c) && ASKS(c) && !me.lost && me.hellos < HELLOS -> enroll(c, false) }
  :: d_step { timeout && LIVES(c) && ASKS(c) && !me.lost && me.hellos >= HELLOS && me.hellos < MORE_HELLOS -> enroll(c, false) }
  :: d_step { LIVES(c) && ASKS(c) && !me.lost && LIVING_NAMED == 0 -> enroll(c, false) }
  :: d_step { LIVES(c) && me.phase == RESTORED && !me.lost -> becomeMember(c); trim() }
  :: d_step { LIVES(c) && me.phase == WRITTEN && room -> postBegin(c) }
  /* The client. */
  :: d_step { LIVES(c) && (CURRENT(c) || me.phase == BEGINNING) && me.sent == 0 && room -> act(c) }
  :: d_step { LIVES(c) && (ACTS(c) || me.phase == RESTORED) && MAY_REQUEST(c) && room -> act(c) }
  :: d_step { LIVES(c) && ACTS(c) && MAY_RELEASE(c) && room -> act(c) }
  /* Deaths. */
  :: d_step { ACTS_FOR_OTHERS(c) && LEARNS(c, 0) -> learn(c, 0) }
  :: d_step { ACTS_FOR_OTHERS(c) && LEARNS(c, 1) -> learn(c, 1) }
#if CONTEXTS > 2
  :: d_step { ACTS_FOR_OTHERS(c) && LEARNS(c, 2) -> learn(c, 2) }
#endif
  :: d_step { ACTS_FOR_OTHERS(c) && ABSENT(c) != 0 -> bury(c, ABSENT(c)) }
  :: d_step { LIVES(c) && me.phase == MEMBER && me.burying != 0 && room -> postGone(c) }
#ifdef ALONE
  :: d_step { LIVES(c) && !me.alone && !me.looked && SEES_NOBODY(c) && SHOWN_ALONE(c) -> me.looked = 1 }
  :: d_step { LIVES(c) && !me.alone && me.looked && SEES_NOBODY(c) -> me.alone = 1; me.looked = 0; printf("%d is alone\n", c) }
#endif
  /* Wipes. */
  :: d_step { LIVES(c) && me.lost && (me.phase != MEMBER && me.phase < BEGINNING && me.phase != OUT || CURRENT(c) && me.sent == 0) -> enroll(c, false) }
  :: d_step { LIVES(c) && me.lost && me.phase == RESTORED && me.sent > 0 && (SILENT || !in(me.members, c)) -> end_(c); trim() }
  :: d_step { LIVES(c) && me.lost && me.phase == BEGINNING -> end_(c); trim() }
  :: d_step { LIVES(c) && me.lost && (me.phase == MEMBER && me.sent > 0 || me.phase == RESTORED && in(me.members, c)) && (registerLog == me.log || OVER(c)) -> comeBack(c) }
  :: d_step { LIVES(c) && me.doubting && CURRENT(c) && registerLog != 0 && registerLog != me.log && !OVER(c) -> end_(c); trim() }
  :: d_step { LIVES(c) && !me.lost && CURRENT(c) && me.doubting && registerLog == me.log -> me.doubting = 0; resume(c) }
  :: d_step { ACTS_FOR_OTHERS(c) && incomplete && me.told < generation && me.posting != generation -> me.posting = generation }
  :: d_step { LIVES(c) && me.phase == MEMBER && me.posting != 0 && room -> post(anew, c, me.log, 0, me.posting, 0); me.told = me.posting; me.posting = 0 }
  :: d_step { LIVES(c) && me.phase == MEMBER && !me.lost && me.completing != 0 -> complete(c) }
  /* Faults. */
  :: d_step { LISTENS(c) && crashes < CRASHES -> crashes++; dead = dead | (1 << c); unknowable = unknowable | (me.lost << c); printf("%d dies\n", c); trim() }
  :: d_step { c == 0 && wipes < WIPES -> wipe() }
  od
}

proctype rest_() {
end:
  do
  :: d_step {
      timeout ->
      n = 1;
      for (i : 0 .. CONTEXTS - 1) {
        if
        :: LIVES(i) && (ASKS(i) && context[i].hellos < MORE_HELLOS || context[i].phase == HEARD) -> n = 0
        :: else
        fi
      };
      for (i : 0 .. CONTEXTS - 1) {
        claim(6, n == 0 || SERVED(i))
      }
    };
    break
  od
}

inline beginAsMember(c) {
  registerLog = 1;
  records = (1 << MEMBERS) - 1;
  stateful = records;
  named = records;
  generation = 1;
  me.generation = 1;
  me.committed = 1;
  me.phase = MEMBER;
  me.log = 1;
  me.sent = 1;
  n = 0;
  do
  :: n == MEMBERS -> break
  :: else -> append(me.members, n); setLast(me.last, n, 1); n++
  od
}

init {
  atomic {
    d_step {
      for (m : 0 .. MEMBERS - 1) {
        beginAsMember(m)
      }
    };
    run tasks(0);
    run tasks(1);
#if CONTEXTS > 2
    run tasks(2);
#endif
    run rest_()
  }
}
