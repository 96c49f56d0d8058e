/*
 * The log over one order that is not kept (BroadcastChannel), as a model for spin. README.md says how to read it.
 *
 * One step of a context is one task: something is delivered or decided, the context changes, at most one message is posted. A
 * context that is frozen, busy or stopped takes no step. So every schedule contains all freezes.
 */

/* Bounds. */
#ifndef CONTEXTS
#define CONTEXTS 3 /* At most 3: a list has three places. */
#endif
#ifndef MEMBERS
#define MEMBERS CONTEXTS /* Members at the beginning, the eldest first; the others join. */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef STOPS
#define STOPS 0    /* How many contexts stop for ever, without a word. */
#endif
#ifndef HELLOS
#define HELLOS 2   /* So many hellos a context may post at any time; more, when nothing else is going on. */
#endif
#ifndef MESSAGES
#define MESSAGES 3 /* Posted and not yet read by every living context. A sender waits while the order is full. */
#endif

mtype = { nothing, hello, state, begin, operation, gone };

/* How far a context has come. */
#define OUT 0        /* No channel yet. */
#define EARLY 1      /* A hello is posted, and it has no record. */
#define HEARD 2      /* That hello was delivered; later messages are kept until it has a record. */
#define REGISTERED 3 /* Has a record. */
#define GREETING 4   /* Its hello is posted. */
#define WAITING 5    /* Its hello was delivered; later messages are kept until the state comes. */
#define WRITTEN 6    /* Has written a fresh log into the register. */
#define BEGINNING 7  /* Its `begin` is posted. */
#define RESTORED 8   /* Has the state, and posts its join; the register does not show it as stateful yet. */
#define MEMBER 9     /* The register shows it as stateful. */
#define ENDED 10     /* Its client is over: the register has shown another log. It would begin anew as another client. */

/* The register. A log is named after the context that began it, plus 1; 0 is none. */
byte registerLog;
byte records;
byte stateful;
byte epoch;      /* Grows with every log, and whenever a member is about to be alone. */

typedef Context {
  byte at;      /* So many of the order's messages it has read. */
  byte phase;
  byte log;
  byte hellos;
  byte queue;
  byte members;
  short last;
  byte sent;    /* Its last operation's number. */
  bit running;  /* Between callback entry and settlement. */
  bit granted;  /* Has seen the grant of its latest request. */
  bit looked;   /* Its read of the register has shown no other record, and no hello has come since (D7). */
  bit alone;
  byte burying; /* The client for which it has to post `gone`. */
  byte buried;  /* The client for which it had to. */
#ifdef D3_REVERSED
  byte shown;   /* The records that an earlier read has shown, and a mark that there was one. */
#endif
#ifdef STATE_TAKEN_LATE
  byte owed;    /* The client that it has to answer, plus 1. */
  byte owedNumber;
#endif
};
Context context[CONTEXTS];
byte crashes;
byte stops;
byte stopped; /* A set: takes no step, and is not dead. */

#define CURRENT(c) (context[c].phase == RESTORED || context[c].phase == MEMBER)
#ifdef STATEFUL_LATE
#define ACTS(c) CURRENT(c)
#else
#define ACTS(c) (context[c].phase == MEMBER)
#endif
#define EXCUSED(c, i) false
#define LIVES(c) (!has(dead | stopped, c))
#define LISTENS(c) (LIVES(c) && context[c].phase != OUT && context[c].phase != ENDED)
#include "order-core.pml"
#include "order-channel.pml"

/* D1: the member whose turn it is at that attempt takes the state as it is when the hello is delivered. */
#define ANSWERS(c) (context[c].phase == MEMBER && in(context[c].members, c) && \
  ((context[c].members >> (2 * ((message.number - 1) % length(context[c].members)))) & 3) == c + 1)

inline hearHello(c) {
  if
  :: message.from == c && me.phase == GREETING && message.number == me.hellos -> me.phase = WAITING
  :: message.from == c && me.phase == EARLY -> me.phase = HEARD
  :: message.from != c ->
    me.alone = 0;
    me.looked = 0;
    if
    :: ANSWERS(c) ->
#ifdef STATE_TAKEN_LATE
      me.owed = message.from + 1;
      me.owedNumber = message.number
#else
      /* The epoch that it has read last by now. */
      post(state, c, me.log, message.from, message.number, PACKED(c) | (epoch << 22))
#endif
    :: else
    fi
  :: else
  fi
}

/* D6: from here on, the context that began a log acts. */
inline hearBegin(c) {
  if
  :: message.from == c && me.phase == BEGINNING -> me.phase = MEMBER
  :: message.from != c -> claim(1, me.phase != MEMBER || me.log == message.log)
  :: else
  fi
}

inline deliver(c) {
  m = me.at;
  me.at++;
  printf("%d is delivered %e from %d: log %d, client %d, number %d\n",
    c, message.kind, message.from, message.log, message.client, message.number);
  if
  :: message.kind == hello -> hearHello(c)
  :: message.kind == begin -> hearBegin(c)
  :: message.kind == operation && CURRENT(c) && message.log == me.log ->
    if
    :: message.from != c -> me.alone = 0; me.looked = 0
    :: else
    fi;
    apply(c, message.from, message.number);
    compare(c)
  :: message.kind == gone && CURRENT(c) && message.log == me.log ->
    claim(5, message.client != c);
    if
    :: message.from != c -> me.alone = 0; me.looked = 0
    :: else
    fi;
    apply(c, message.client, 0);
    compare(c)
  :: else
  fi;
  trim()
}

/* The answer to a hello from before the context had a record counts if the epoch is still the same (D2). */
#ifdef EPOCH_IGNORED
#define EARLY_AT(c, slot) (order[slot].kind == state && order[slot].client == c && order[slot].log == registerLog)
#else
#define EARLY_AT(c, slot) (order[slot].kind == state && order[slot].client == c && order[slot].content >> 22 == epoch)
#endif

/* The state that answers this context's latest hello. */
#ifdef NONCE_IGNORED
#define STATE_AT(c, slot) (order[slot].kind == state && order[slot].client == c && order[slot].log == context[c].log)
#else
#define STATE_AT(c, slot) (order[slot].kind == state && order[slot].client == c && order[slot].log == context[c].log && \
  order[slot].number == context[c].hellos)
#endif
/* D1: the state, and then all deliveries since the hello: it is read from there on. */
inline restore(c) {
  m = me.at;
  do
  :: order[m].kind == state && order[m].client == c && (me.phase == HEARD || STATE_AT(c, m)) -> break
  :: else -> m++
  od;
  unpack(c, message.content);
#ifdef KEEPING_LATE
  me.at = m + 1;
#endif
  printf("%d restores the state that %d has sent\n", c, message.from)
}

inline drop(c) {
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.alone = 0;
  me.looked = 0
}

/* D2: one transaction. No log begins where a stateful member lives. */
inline enroll(c) {
  if
  :: (stateful & ~dead) == 0 ->
    registerLog = c + 1;
    records = (records & ~dead) | (1 << c);
    stateful = 1 << c;
    epoch++;
    me.log = registerLog;
    me.phase = WRITTEN
  :: else ->
    records = records | (1 << c);
    me.log = registerLog;
    if
    :: me.phase == HEARD && ANY_SLOT(c, EARLY_AT) ->
      stateful = stateful | (1 << c);
      restore(c);
      me.phase = MEMBER
    :: else -> me.phase = REGISTERED
    fi
  fi;
  printf("%d enters the register: log %d\n", c, me.log)
}

/* D2: and one that makes it stateful, or shows that the log is over. */
inline becomeMember(c) {
  if
  :: registerLog == me.log && has(records, c) ->
    stateful = stateful | (1 << c);
    me.phase = MEMBER;
    if
    :: first(me.queue) == c + 1 && !me.granted -> enter(c)
    :: else
    fi
  :: else ->
    claim(1, !me.running);
    records = records & ~(1 << c);
    drop(c);
    me.at = 0;
    me.phase = ENDED;
    trim()
  fi
}

/* D4: the deaths that a member is told of. */
#define LEADS(c) (first(context[c].members) == c + 1)
#ifdef ONLY_LEADERS_WATCHED
#define WATCHES(c, d) (LEADS(c) || first(context[c].members) == (d) + 1)
#else
#define WATCHES(c, d) (LEADS(c) || first(context[c].members) == (d) + 1 || before(context[c].queue, d, c))
#endif
#define LEARNS(c, d) (has(dead, d) && !has(context[c].buried, d) && in(context[c].members, d) && WATCHES(c, d))
#define REMOVES(c, d) (has(dead & records, d) && !in(context[c].members, d) && LEADS(c))

/* D3: members that have joined and have no record. A read that shows all of them changes nothing, so it is left out. */
#define ABSENT(c) (setOf(context[c].members) & ~records & ~context[c].buried & ~(1 << (c)))

inline bury(c, whom) {
  me.burying = me.burying | (whom);
  me.buried = me.buried | (whom)
}

inline learn(c, d) {
  records = records & ~(1 << (d));
  stateful = stateful & ~(1 << (d));
  bury(c, 1 << (d));
  printf("%d is told that %d is dead\n", c, d)
}

inline postGone(c) {
  n = (has(me.burying, 0) -> 0 : (has(me.burying, 1) -> 1 : 2));
  me.burying = me.burying & ~(1 << n);
  claim(5, has(dead, n) || context[n].phase == ENDED);
  post(gone, c, me.log, n, 0, 0)
}

/* D7: it has no message on its way. */
#define OWN_AT(c, slot) (order[slot].from == c)
#ifdef ALONE_WITH_SOME_ON_THEIR_WAY
#define SEES_NOBODY(c) (context[c].phase == MEMBER && context[c].members == c + 1)
#else
#define SEES_NOBODY(c) (context[c].phase == MEMBER && context[c].members == c + 1 && context[c].burying == 0 && \
  lastOf(context[c].last, c) == context[c].sent && !ANY_SLOT(c, OWN_AT))
#endif
#ifdef ALONE_WITHOUT_A_READ
#define SHOWN_ALONE(c) true
#else
#define SHOWN_ALONE(c) (records == 1 << (c))
#endif

inline act(c) {
  decide(c);
  if
  :: me.alone -> n = c; apply(c, n, me.sent)
  :: else -> post(operation, c, me.log, 0, me.sent, 0)
  fi
}

#define ASKS(c) (context[c].phase >= REGISTERED && context[c].phase <= WAITING)
#define MORE_HELLOS (HELLOS + CONTEXTS + 1)

/* L: every living client is served, unless it waits for a context that is stopped and lives. */
#define WAITS_FOR(c, d) (has(stopped & ~dead, d) && before(context[c].queue, d, c))
#define SERVED(c) (!LIVES(c) || context[c].phase == ENDED || \
  (context[c].phase == MEMBER && lastOf(context[c].last, c) == FINAL(c) && !context[c].running) || \
  (context[c].phase == MEMBER && (WAITS_FOR(c, 0) || WAITS_FOR(c, 1) || WAITS_FOR(c, 2))) || \
  (ASKS(c) && (stateful & ~dead & ~stopped) == 0))

proctype tasks(byte c) {
end:
  do
  :: d_step { LISTENS(c) && me.at < posted && me.phase != WAITING && me.phase != HEARD -> deliver(c) }
  :: d_step { LIVES(c) && me.phase == WAITING && ANY_SLOT(c, STATE_AT) -> restore(c); me.phase = RESTORED }
  :: d_step { LIVES(c) && me.phase == OUT && MEMBERS < CONTEXTS && room -> me.at = posted; me.hellos++; me.phase = EARLY; post(hello, c, 0, 0, me.hellos, 0) }
  :: d_step { LIVES(c) && (me.phase == EARLY || me.phase == HEARD) -> enroll(c); trim() }
  :: d_step { LIVES(c) && me.phase == REGISTERED && room -> me.hellos++; me.phase = GREETING; post(hello, c, 0, 0, me.hellos, 0) }
  /* Again: at any time, or because no other context can do anything. */
  :: d_step { LIVES(c) && (me.phase == GREETING || me.phase == WAITING) && me.hellos < HELLOS + 1 -> enroll(c) }
  :: d_step { timeout && LIVES(c) && (me.phase == GREETING || me.phase == WAITING) && me.hellos >= HELLOS + 1 && me.hellos < MORE_HELLOS -> enroll(c) }
  :: d_step { LIVES(c) && (me.phase == GREETING || me.phase == WAITING) && (stateful & ~dead) == 0 -> enroll(c) }
  :: d_step { LIVES(c) && me.phase == RESTORED -> becomeMember(c) }
  :: d_step { LIVES(c) && me.phase == WRITTEN && room -> me.phase = BEGINNING; post(begin, c, me.log, 0, 0, 0) }
  /* The client. */
  :: d_step { LIVES(c) && me.phase >= BEGINNING && me.phase != ENDED && me.sent == 0 && room -> act(c) }
  :: d_step { LIVES(c) && CURRENT(c) && MAY_REQUEST(c) && room -> act(c) }
  :: d_step { LIVES(c) && me.phase == MEMBER && (MAY_RELEASE(c) || MAY_ABORT(c)) && room -> act(c) }
  /* Deaths. */
  :: d_step { LIVES(c) && me.phase == MEMBER && (LEARNS(c, 0) || REMOVES(c, 0)) -> learn(c, 0) }
  :: d_step { LIVES(c) && me.phase == MEMBER && (LEARNS(c, 1) || REMOVES(c, 1)) -> learn(c, 1) }
#if CONTEXTS > 2
  :: d_step { LIVES(c) && me.phase == MEMBER && (LEARNS(c, 2) || REMOVES(c, 2)) -> learn(c, 2) }
#endif
#ifdef D3_REVERSED
  :: d_step { LIVES(c) && me.phase == MEMBER && me.shown == 0 -> me.shown = records | 128 }
  :: d_step { LIVES(c) && me.phase == MEMBER && me.shown != 0 -> bury(c, setOf(me.members) & ~me.shown & ~me.buried & ~(1 << c)); me.shown = 0 }
#else
  :: d_step { LIVES(c) && me.phase == MEMBER && ABSENT(c) != 0 -> bury(c, ABSENT(c)) }
#endif
  :: d_step { LIVES(c) && me.phase == MEMBER && me.burying != 0 && room -> postGone(c) }
  /* Alone. */
#ifdef ALONE
  :: d_step { LIVES(c) && !me.alone && !me.looked && SEES_NOBODY(c) && SHOWN_ALONE(c) -> me.looked = 1; epoch++ }
  :: d_step { LIVES(c) && !me.alone && me.looked && SEES_NOBODY(c) -> me.alone = 1; me.looked = 0; printf("%d is alone\n", c) }
#endif
#ifdef STATE_TAKEN_LATE
  :: d_step { LIVES(c) && me.owed != 0 -> post(state, c, me.log, me.owed - 1, me.owedNumber, PACKED(c)); me.owed = 0; me.owedNumber = 0 }
#endif
  /* Faults. */
#ifdef FAREWELLS
  :: d_step { LIVES(c) && me.phase == MEMBER && in(me.members, c) && crashes < CRASHES && room -> crashes++; post(gone, c, me.log, c, 0, 0); dead = dead | (1 << c); trim() }
#endif
  :: d_step { LISTENS(c) && crashes < CRASHES -> crashes++; dead = dead | (1 << c); printf("%d dies\n", c); trim() }
  :: d_step { LISTENS(c) && stops < STOPS -> stops++; stopped = stopped | (1 << c); printf("%d stops\n", c); trim() }
  od
}

/* Nothing is left to do. */
#define MAY_ASK(c) (LIVES(c) && (context[c].phase == GREETING || context[c].phase == WAITING) && context[c].hellos < MORE_HELLOS)
proctype rest_() {
end:
  do
  :: d_step {
      timeout ->
      n = 1;
      for (i : 0 .. CONTEXTS - 1) {
        if
        :: MAY_ASK(i) -> n = 0
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
