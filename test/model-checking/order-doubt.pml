/*
 * Messages are lost (D10), as a model for spin: to one context, or to all at once, as when a store is cleared. A context that has missed
 * something asks. If none is current, the one that has got farthest continues for all. README.md says how to read it.
 *
 * The register is never wiped here (order-wipe.pml), and the order keeps its messages for contexts that have not read them.
 */

/* Bounds. */
#ifndef CONTEXTS
#define CONTEXTS 3
#endif
#ifndef MEMBERS
#define MEMBERS CONTEXTS /* Members at the beginning, the eldest first; the others join. */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef STOPS
#define STOPS 0
#endif
#ifndef LOSSES
#define LOSSES 0   /* How often one context misses all that it has not read. */
#endif
#ifndef CLEARINGS
#define CLEARINGS 1 /* How often all do. */
#endif
#ifndef REPEATS
#define REPEATS 0  /* How many hellos that a context has missed a frame repeats to it. */
#endif
#ifndef HELLOS
#define HELLOS 1   /* So many hellos a context may post at any time; more, when nothing else is going on. */
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif

mtype = { nothing, hello, state, resume, operation, gone };

#define OUT 0
#define ASKING 1   /* Has a record, and no state. */
#define RESTORED 2 /* Has the state; the register does not show it as stateful yet. */
#define WRITTEN 3  /* The register shows it as stateful, but this context has not read that back. */
#define MEMBER 4
#define ENDING 5   /* Others go on without it. It would begin anew as another client. */
#define ENDED 6

/* The register. */
byte records;
byte stateful;
byte generation;

/* Counts of a generation: more than any log has entries here. */
#define COUNTS 32
#define NONCES 9 /* At most: a state has three bits for each. */

typedef Context {
  byte at;
  byte phase;
  bit current;
  bit gap;         /* It has missed something, and does not know that yet. */
  byte queue;
  byte members;
  short last;
  byte count;
  byte sent;
  bit running;
  bit granted;
  byte burying;
  byte buried;
  byte found;      /* The generation that it has found in the register. */
  /* Asking. */
  bit greets;      /* It is about to say hello. */
  byte hellos;     /* The nonce of its last hello. */
  byte attempt;
  int kept;        /* Entries, five bits each: a client and an operation's number, 0 for "gone". */
  byte keptCount;
  int cuts;        /* By nonce, three bits each: how many were kept before that hello, plus 1. */
  /* Gathering. */
  byte reached[CONTEXTS];
  byte heard[CONTEXTS]; /* The nonce of the last hello of each other context in doubt. */
  short echoes;    /* A set of nonces: its own hellos that count, if others name them. */
  byte given;      /* A set. */
  byte raised;     /* The generation that it has written, to go on by. */
  byte sawRecords; /* The register then. */
  byte sawStateful;
  byte resumes;    /* The generation of its `resume`. */
  byte owed;       /* The client that only it can answer. */
};
Context context[CONTEXTS];
byte crashes;
byte stops;
byte stopped;
byte losses;
byte clearings;
#if REPEATS
/* A hello that a context has missed. */
byte repeats;
byte missedBy; /* Plus 1. */
byte saidBy;
byte saidNumber;
byte saidFar;
int saidNames;
#endif

hidden byte whose;
hidden byte which;
hidden byte others;
hidden int names;

#define LIVES(c) (!has(dead | stopped, c))
#define LISTENS(c) (LIVES(c) && context[c].phase != OUT && context[c].phase < ENDING)
#define ACTS(c) (context[c].phase == MEMBER && context[c].current)
#define HAS_STATE(c) (context[c].phase == RESTORED || context[c].phase == WRITTEN || context[c].phase == MEMBER)
#define EXCUSED(c, i) false
#include "order-core.pml"
/* In a `hello`, number is the nonce, client the attempt, log how far its sender has got, and content the nonces that it names, four bits
 * each. A `state` has the nonce that it answers, and its count in log; a `resume` its generation in number. */
#include "order-channel.pml"

inline forget(c) {
  me.kept = 0;
  me.keptCount = 0;
  me.cuts = 0;
  me.attempt = 0;
  me.resumes = 0;
  me.raised = 0;
  me.sawRecords = 0;
  me.sawStateful = 0;
  me.given = 0;
  me.echoes = 0;
  for (k : 0 .. CONTEXTS - 1) {
    me.reached[k] = 0
  };
  skip /* A d_step may not end with a loop. */
}

inline forgetHeard(c) {
  for (k : 0 .. CONTEXTS - 1) {
    me.heard[k] = 0
  };
  skip
}

inline doubt(c) {
  printf("%d is in doubt\n", c);
  me.current = 0;
  me.greets = 1;
  forget(c)
}

inline notice(c) {
  me.gap = 0;
  doubt(c)
}

inline mayBeCurrent(c, d) {
#ifdef GIVEN_FORGOTTEN
  skip
#else
  me.resumes = 0;
  me.raised = 0;
  me.given = me.given | (1 << (d));
  me.reached[d] = 0;
  me.echoes = 0
#endif
}

/* What another context in doubt says of itself. */
inline gather(c) {
  gatherWhat(c, message.from, message.number, message.log, message.content)
}

#define NAMED(c, names) (((names) >> (4 * (c))) & 15)
#define IS_NAMED(c, names) (NAMED(c, names) != 0 && has(context[c].echoes, NAMED(c, names)))

inline gatherWhat(c, from_, nonce_, far_, names_) {
  if
  :: far_ == 0 -> me.given = me.given & ~(1 << from_)
  :: else ->
    me.heard[from_] = nonce_;
    if
    :: IS_NAMED(c, names_) ->
      me.given = me.given & ~(1 << from_);
      me.reached[from_] = far_
    :: else
    fi
  fi
}

inline answer(c) {
  others = me.members;
  removeFrom(others, message.from);
  if
  :: has(me.owed, message.from) || (length(others) != 0 && ((others >> (2 * ((message.client - 1) % length(others)))) & 3) == c + 1) ->
    post(state, c, me.count, message.from, message.number, PACKED(c))
  :: else
  fi
}

inline hearHello(c) {
  if
  :: message.from == c ->
    if
    :: !me.current ->
      me.cuts = me.cuts | ((me.keptCount + 1) << (3 * message.number));
      me.echoes = me.echoes | (1 << message.number)
    :: else
    fi
  :: message.from != c && HAS_STATE(c) && !me.current -> gather(c)
  :: message.from != c && ACTS(c) -> answer(c)
  :: else
  fi
}

inline applyEntry(c) {
  apply(c, whose, which);
  me.count++
}

/* The kept entries, from the [first_] on. */
inline applyKept(c, first_) {
  n = first_;
  do
  :: n >= me.keptCount -> break
  :: else ->
    whose = (me.kept >> (5 * n)) & 3;
    which = (me.kept >> (5 * n + 2)) & 7;
    applyEntry(c);
    n++
  od
}

inline enterIfNext(c) {
  if
  :: ACTS(c) && first(me.queue) == c + 1 && !me.granted -> enter(c)
  :: else
  fi
}

/* The state is right except for the kept entries from the [first_] on. */
inline becomeCurrent(c, first_) {
  me.current = 1;
  me.greets = 0;
  me.buried = 0; /* What was posted before may be lost. */
  applyKept(c, first_);
  forget(c);
  forgetHeard(c);
  enterIfNext(c)
}

#define CUT(c, nonce) ((context[c].cuts >> (3 * (nonce))) & 7)

/* Others go on without the entries that it has read. It must not have acted on them. */
inline giveUp(c) {
  claim(1, !me.running);
  forget(c);
  forgetHeard(c);
  me.phase = ENDING;
  me.current = 0;
  me.greets = 0;
  trim()
}

/* R7. */
inline restore(c) {
  printf("%d restores the state of %d\n", c, message.from);
  others = lastOf(me.last, c);
  if
  :: HAS_STATE(c) && ((message.content >> (12 + 3 * c)) & 7) < others ->
    claim(3, me.phase != MEMBER);
    giveUp(c)
  :: else ->
    unpack(c, message.content);
    me.count = message.log;
    if
    :: me.phase == ASKING -> me.phase = RESTORED
    :: else
    fi;
    claim(3, !me.running || first(me.queue) == c + 1);
    becomeCurrent(c, CUT(c, message.number) - 1)
  fi
}

inline goOn(c) {
  printf("%d goes on\n", c);
  me.count = (me.count > COUNTS * message.number -> me.count : COUNTS * message.number);
  me.owed = setOf(me.members) & ~(1 << c);
  becomeCurrent(c, 0)
}

inline hearResume(c) {
  if
  :: message.from == c && me.resumes != 0 && message.number == me.resumes -> goOn(c)
  :: message.from != c -> doubt(c)
  :: else
  fi
}

inline hearEntry(c) {
  if
  :: message.kind == operation -> whose = message.from; which = message.number
  :: else -> whose = message.client; which = 0; claim(5, whose != c)
  fi;
  if
  :: me.current -> applyEntry(c); compare(c)
  :: else ->
    if
    :: me.cuts != 0 || HAS_STATE(c) ->
      assert(me.keptCount < 6);
      me.kept = me.kept | ((whose | (which << 2)) << (5 * me.keptCount));
      me.keptCount++
    :: else
    fi;
    if
    :: message.kind == operation && message.from != c && HAS_STATE(c) -> mayBeCurrent(c, whose)
    :: else
    fi
  fi
}

inline deliver(c) {
  m = me.at;
  me.at++;
  printf("%d is delivered %e from %d: far or count %d, client or attempt %d, number %d\n",
    c, message.kind, message.from, message.log, message.client, message.number);
  if
  :: message.kind == hello -> hearHello(c)
  :: message.kind == state ->
    if
    :: !me.current && HAS_STATE(c) -> mayBeCurrent(c, message.client)
    :: else
    fi;
    if
    :: message.client == c && !me.current && CUT(c, message.number) != 0 -> restore(c)
    :: else
    fi
  :: message.kind == resume -> hearResume(c)
  :: else -> hearEntry(c)
  fi;
  trim()
}

/* The context that has got farthest (of several, the eldest), of all that the register shows. */
#define ELDER(c, d) (before(context[c].members, d, c) || !in(context[c].members, c))
#define SHOWN(c, d, records_, stateful_) (has(records_, d) && (in(context[c].members, d) || has((stateful_) | context[c].given, d)))
#ifdef FURTHEST_UNCHECKED
#define BEHIND(c, d) (context[c].reached[d] != 0)
#else
#define BEHIND(c, d) (context[c].reached[d] != 0 && context[c].reached[d] <= context[c].count + 1 && \
  !(context[c].reached[d] == context[c].count + 1 && ELDER(c, d)))
#endif
#define PASSED(c, d, records_, stateful_) (CONTEXTS <= (d) || (d) == (c) || !SHOWN(c, d, records_, stateful_) || BEHIND(c, (d) % CONTEXTS))
#define FURTHEST(c, records_, stateful_) (PASSED(c, 0, records_, stateful_) && PASSED(c, 1, records_, stateful_) && \
  PASSED(c, 2, records_, stateful_))

inline raise(c) {
  generation++;
  assert(generation < 256 / COUNTS);
  me.raised = generation;
  me.sawRecords = records;
  me.sawStateful = stateful;
  printf("%d raises the generation to %d\n", c, generation)
}

inline postResume(c) {
  if
  :: !me.current && me.resumes == 0 && FURTHEST(c, me.sawRecords, me.sawStateful) ->
    me.resumes = me.raised;
    post(resume, c, 0, 0, me.raised, 0)
  :: else
  fi;
  me.raised = 0;
  me.sawRecords = 0;
  me.sawStateful = 0
}

inline greet(c) {
  me.greets = 0;
  me.hellos++;
  me.attempt++;
  if
  :: HAS_STATE(c) ->
    n = me.count + 1;
    names = 0;
    for (k : 0 .. CONTEXTS - 1) {
      names = names | (me.heard[k] << (4 * k))
    }
  :: else -> n = 0; names = 0
  fi;
  post(hello, c, n, me.attempt, me.hellos, names)
}

inline join(c) {
  records = records | (1 << c);
  me.found = generation;
  me.at = posted;
  me.phase = ASKING;
  me.greets = 1;
  printf("%d enters the register\n", c)
}

inline write(c) {
  stateful = stateful | (1 << c);
#ifndef GENERATION_UNREAD
  if
  :: generation > me.found -> me.found = 255
  :: else
  fi;
#endif
  me.phase = WRITTEN
}

inline belong(c) {
  if
  :: me.found != 255 ->
    me.phase = MEMBER;
    enterIfNext(c)
  :: else -> giveUp(c)
  fi
}

inline farewell(c) {
  records = records & ~(1 << c);
  stateful = stateful & ~(1 << c);
  me.phase = ENDED;
  post(gone, c, 0, c, 0, 0);
  trim()
}

/* D3 and D4. In doubt, all members are watched. */
#define LEADS(c) (first(context[c].members) == c + 1)
#define WATCHES(c, d) (!context[c].current || LEADS(c) || first(context[c].members) == (d) + 1 || before(context[c].queue, d, c))
#define LEARNS(c, d) (CONTEXTS > (d) && has(dead & records, d) && context[c].phase == MEMBER && WATCHES(c, d))
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
  claim(5, has(dead, n) || context[n].phase >= ENDING);
  post(gone, c, 0, n, 0, 0)
}

/* D8. */
#define OWN_AT(c, slot) (order[slot].from == c && order[slot].kind == operation)
#define OUTSTANDING(c) (context[c].sent > lastOf(context[c].last, c))

inline act(c) {
  decide(c);
  post(operation, c, 0, 0, me.sent, 0)
}

/* The order is cleared. All are told, sooner or later, and until then may miss later messages. */
/* A frame may repeat that to it later. */
inline missHello(c) {
#if REPEATS
  n = context[c].at;
  if
  :: missedBy == 0 && repeats < REPEATS && n < posted && order[n].kind == hello && order[n].from != c && order[n].log != 0 ->
    missedBy = c + 1;
    saidBy = order[n].from;
    saidNumber = order[n].number;
    saidFar = order[n].log;
    saidNames = order[n].content
  :: else
  fi
#else
  skip
#endif
}

inline repeat(c) {
  printf("%d is delivered a hello of %d's, number %d, that it has missed\n", c, saidBy, saidNumber);
#ifdef REPEATS_COUNT
  me.given = me.given & ~(1 << saidBy);
  me.reached[saidBy] = saidFar;
#else
  gatherWhat(c, saidBy, saidNumber, saidFar, saidNames);
#endif
  repeats++;
  missedBy = 0;
  saidBy = 0;
  saidNumber = 0;
  saidFar = 0;
  saidNames = 0
}

inline clear() {
  clearings++;
  printf("the order is cleared\n");
  for (m : 0 .. CONTEXTS - 1) {
    if
    :: LISTENS(m) -> missHello(m); context[m].gap = 1; context[m].at = posted
    :: else
    fi
  };
  trim()
}

#define ASKS(c) (context[c].phase == ASKING || (HAS_STATE(c) && !context[c].current))
#define WAITS_FOR(c, d) (has(stopped & ~dead, d) && before(context[c].queue, d, c))
#define SERVED(c) (!LIVES(c) || context[c].phase >= ENDING || \
  (ACTS(c) && lastOf(context[c].last, c) == FINAL(c) && !context[c].running) || \
  (ACTS(c) && (WAITS_FOR(c, 0) || WAITS_FOR(c, 1) || WAITS_FOR(c, 2))) || \
  (ASKS(c) && (records & stopped & ~dead) != 0))

/* When nothing else is going on, those that ask take turns. */
#define MAY_ASK(c) (LISTENS(c) && ASKS(c) && context[c].hellos < NONCES)
#define HAS_TURN(c, d) (CONTEXTS <= (d) || !MAY_ASK((d) % CONTEXTS) || context[(d) % CONTEXTS].hellos >= context[c].hellos)
#define SAYS_NO_MORE(c) (CONTEXTS > (c) && stops == 0 && LIVES(c) && context[(c) % CONTEXTS].hellos == NONCES)

proctype tasks(byte c) {
end:
  do
  :: d_step { LISTENS(c) && !me.gap && me.at < posted -> deliver(c) }
  :: d_step { LISTENS(c) && me.gap -> notice(c) }
  :: d_step { LISTENS(c) && me.gap && me.at < posted -> me.at = posted; trim(); skip }
  :: d_step { LISTENS(c) && me.greets && me.hellos < NONCES && room -> greet(c) }
  :: d_step { LISTENS(c) && ASKS(c) && !me.greets && me.hellos < HELLOS -> me.greets = 1 }
  :: d_step { timeout && MAY_ASK(c) && !me.greets && HAS_TURN(c, 0) && HAS_TURN(c, 1) && HAS_TURN(c, 2) -> me.greets = 1 }
  :: d_step { LISTENS(c) && HAS_STATE(c) && !me.current && me.resumes == 0 && me.raised == 0 && FURTHEST(c, records, stateful) -> raise(c) }
  :: d_step { LISTENS(c) && me.raised != 0 && room -> postResume(c) }
  /* Joining. */
  :: d_step { LIVES(c) && me.phase == OUT -> join(c) }
  :: d_step { LIVES(c) && me.phase == RESTORED -> write(c) }
  :: d_step { LIVES(c) && me.phase == WRITTEN -> belong(c); skip }
  :: d_step { LIVES(c) && me.phase == ENDING && room -> farewell(c); skip }
  /* The client. In doubt nothing is posted. */
  :: d_step { LIVES(c) && HAS_STATE(c) && me.current && me.sent == 0 && room -> act(c) }
  :: d_step { LIVES(c) && HAS_STATE(c) && me.current && MAY_REQUEST(c) && room -> act(c) }
  :: d_step { LIVES(c) && ACTS(c) && (MAY_RELEASE(c) || MAY_ABORT(c)) && room -> act(c) }
  :: d_step { LIVES(c) && me.phase == MEMBER && !me.current && MAY_RELEASE(c) -> decide(c) }
  :: d_step { LIVES(c) && HAS_STATE(c) && me.current && !me.gap && OUTSTANDING(c) && room && me.at == posted -> post(operation, c, 0, 0, lastOf(me.last, c) + 1, 0) }
  /* Deaths. */
  :: d_step { LIVES(c) && LEARNS(c, 0) -> learn(c, 0) }
  :: d_step { LIVES(c) && LEARNS(c, 1) -> learn(c, 1) }
#if CONTEXTS > 2
  :: d_step { LIVES(c) && LEARNS(c, 2) -> learn(c, 2) }
#endif
  :: d_step { LIVES(c) && ACTS(c) && ABSENT(c) != 0 -> bury(c, ABSENT(c)) }
  :: d_step { LIVES(c) && ACTS(c) && me.burying != 0 && room -> postGone(c) }
  /* Faults. */
  :: d_step { LISTENS(c) && !me.gap && losses < LOSSES && me.at < posted -> losses++; missHello(c); me.gap = 1; me.at = posted; printf("%d misses messages\n", c); trim(); skip }
  :: d_step { c == 0 && clearings < CLEARINGS -> clear() }
#if REPEATS
  :: d_step { LISTENS(c) && missedBy == c + 1 && !me.gap && HAS_STATE(c) && !me.current -> repeat(c) }
#endif
  :: d_step { LISTENS(c) && crashes < CRASHES -> crashes++; dead = dead | (1 << c); printf("%d dies\n", c); trim() }
  :: d_step { LISTENS(c) && stops < STOPS -> stops++; stopped = stopped | (1 << c); printf("%d stops\n", c); trim() }
  od
}

/* Nothing is left to do. */
proctype rest_() {
end:
  do
  :: d_step {
      timeout && !MAY_ASK(0) && !MAY_ASK(1) && !MAY_ASK(2 % CONTEXTS) ->
      assert(!SAYS_NO_MORE(0) && !SAYS_NO_MORE(1) && !SAYS_NO_MORE(2));
      for (i : 0 .. CONTEXTS - 1) {
        claim(6, SERVED(i))
      }
    };
    break
  od
}

inline beginAsMember(c) {
  me.phase = MEMBER;
  me.current = 1;
  me.sent = 1;
  me.count = 1;
  n = 0;
  do
  :: n == MEMBERS -> break
  :: else -> append(me.members, n); setLast(me.last, n, 1); n++
  od
}

init {
  atomic {
    d_step {
      records = (1 << MEMBERS) - 1;
      stateful = records;
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
