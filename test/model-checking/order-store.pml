/*
 * The log over one order that is kept (the keys of a store), as a model for spin. README.md says how to read it.
 *
 * A message is a transaction. Each context reads the messages at its own pace. A context that sweeps first writes the state at its own
 * place, and removes what is before that place. A context that had not read that finds a gap. So no context asks another for the state.
 * The register and the order are one database, unless a switch says otherwise.
 */

/* Bounds. */
#ifndef CONTEXTS
#define CONTEXTS 3
#endif
#ifndef MEMBERS
#define MEMBERS CONTEXTS
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef STOPS
#define STOPS 0
#endif
#ifndef FAILS
#define FAILS 0    /* The transactions of so many operations fail: no context ever reads them. */
#endif
#ifndef REPEATS
#define REPEATS 0  /* How many operations are sent again while they are on their way. */
#endif
#ifndef MESSAGES
#define MESSAGES 3 /* In the store. A sender waits for a sweep while it is full. */
#endif

mtype = { nothing, operation, gone };

#define OUT 0
#define REGISTERED 1 /* Has a record. */
#define RESTORED 2   /* Has read the state that is kept. */
#define MEMBER 3     /* Registered as stateful. */

/* The register, the state that is kept, and the order. */
byte registerLog;
byte records;
byte stateful;
byte aloneOne; /* The member that acts without posting, plus 1: the kept state is not the latest. */
int kept;

typedef Message {
  mtype kind;
  byte from;
  byte client;
  byte number;
  int after;
};
Message order[MESSAGES];
byte posted;

typedef Context {
  byte at;
  byte phase;
  byte log;
  byte queue;
  byte members;
  short last;
  byte sent;
  bit running;
  bit granted;
  bit gap;       /* What it would read next has been swept. */
  byte burying;
  byte buried;
#ifdef REFUSED_CLEARED
  byte cleared;  /* The last of its operations that was delivered. */
#endif
};
Context context[CONTEXTS];
byte crashes;
byte stops;
byte stopped;
byte fails;
byte repeats;

hidden byte m;
hidden byte n;
hidden byte k;

#define LIVES(c) (!has(dead | stopped, c))
#define ACTS(c) (context[c].phase == MEMBER)
#define CURRENT(c) (context[c].phase >= RESTORED)
#define EXCUSED(c, i) false
#include "order-core.pml"
#define message order[m]
#define room (posted < MESSAGES)

inline clear(slot) {
  order[slot].kind = 0;
  order[slot].from = 0;
  order[slot].client = 0;
  order[slot].number = 0;
  order[slot].after = 0
}

inline post(kind_, from_, client_, number_) {
  assert(posted < MESSAGES);
  printf("%d posts %e: client %d, number %d\n", from_, kind_, client_, number_);
  order[posted].kind = kind_;
  order[posted].from = from_;
  order[posted].client = client_;
  order[posted].number = number_;
  posted++
}

inline deliver(c) {
  m = me.at;
  me.at++;
  printf("%d reads %e of %d: client %d, number %d\n", c, message.kind, message.from, message.client, message.number);
  if
  :: message.kind == operation ->
    k = message.from;
    apply(c, k, message.number);
#ifdef REFUSED_CLEARED
    if
    :: k == c -> me.cleared = message.number
    :: else
    fi
#endif
  :: else ->
    k = message.client;
    claim(5, k != c);
    apply(c, k, 0)
  fi;
  claim(4, message.after == 0 || message.after == PACKED(c));
  message.after = PACKED(c)
}

/* One transaction writes the state at its place, and removes all before that. */
inline sweep(c) {
  printf("%d sweeps\n", c);
  kept = PACKED(c);
  n = me.at;
  for (k : 0 .. MESSAGES - 1) {
    if
    :: k + n < posted ->
      order[k].kind = order[k + n].kind;
      order[k].from = order[k + n].from;
      order[k].client = order[k + n].client;
      order[k].number = order[k + n].number;
      order[k].after = order[k + n].after
    :: else -> clear(k)
    fi
  }
  posted = posted - n;
  for (k : 0 .. CONTEXTS - 1) {
    if
    :: context[k].phase < RESTORED || context[k].log != registerLog || has(dead, k) -> context[k].at = 0
    :: else ->
      if
      :: context[k].at >= n -> context[k].at = context[k].at - n
      :: else ->
        context[k].at = 0;
#ifndef GAP_IGNORED
        context[k].gap = 1
#endif
      fi
    fi
  };
  skip /* A d_step may not end with a loop. */
}

/* The kept state, and then the messages after it. */
inline restore(c) {
  printf("%d restores\n", c);
  unpack(c, kept);
  me.at = 0;
  me.gap = 0;
  if
  :: me.phase == REGISTERED -> me.phase = RESTORED
  :: else
  fi;
  if
  :: me.phase == MEMBER && first(me.queue) == c + 1 && !me.granted -> enter(c)
  /* Granted and stolen again, or stolen, meanwhile. */
  :: me.phase == MEMBER && me.sent > 0 && me.sent % 2 == 0 && lastOf(me.last, c) == me.sent && !in(me.queue, c) ->
    claim(5, has(stolen, c));
    me.granted = 1;
    me.running = 0
  :: else
  fi
}

inline drop(c) {
  me.at = 0;
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.gap = 0
}

inline enroll(c) {
  if
  :: (stateful & ~dead) == 0 ->
    registerLog = c + 1;
    records = (records & ~dead) | (1 << c);
    stateful = 1 << c;
    kept = 1 << 21;
    aloneOne = 0;
    for (k : 0 .. MESSAGES - 1) {
      clear(k)
    };
    posted = 0;
    me.at = 0;
    me.phase = MEMBER
  :: else ->
    records = records | (1 << c);
    me.phase = REGISTERED
  fi;
  me.log = registerLog;
  printf("%d enters the register: log %d\n", c, me.log)
}

inline becomeMember(c) {
  if
  :: registerLog == me.log && has(records, c) ->
    stateful = stateful | (1 << c);
    me.phase = MEMBER
  :: else ->
    drop(c);
    enroll(c)
  fi
}

#define LEADS(c) (first(context[c].members) == c + 1)
#define WATCHES(c, d) (LEADS(c) || first(context[c].members) == (d) + 1 || before(context[c].queue, d, c))
#define LEARNS(c, d) (has(dead, d) && !has(context[c].buried, d) && (in(context[c].members, d) && WATCHES(c, d) || has(records, d) && LEADS(c)))
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
  claim(5, has(dead, n));
  post(gone, c, n, 0)
}

inline act(c) {
  decide(c);
  if
  :: aloneOne == c + 1 -> n = c; apply(c, n, me.sent)
  :: else -> post(operation, c, 0, me.sent)
  fi
}

/* D8: an operation that has no place, and is not on its way as far as it can know, is sent again, one after the other. */
#define OWN_AT(c, slot) ((slot) < MESSAGES && (slot) >= context[c].at && (slot) < posted && order[(slot) % MESSAGES].from == c && \
  order[(slot) % MESSAGES].kind == operation)
#define OWN_ON_ITS_WAY(c) (OWN_AT(c, 0) || OWN_AT(c, 1) || OWN_AT(c, 2) || OWN_AT(c, 3) || OWN_AT(c, 4) || OWN_AT(c, 5))
#if MESSAGES > 6
#error OWN_ON_ITS_WAY looks into six slots
#endif
#ifdef REFUSED_CLEARED
#define OUTSTANDING(c) (context[c].sent > lastOf(context[c].last, c) && context[c].sent > context[c].cleared)
#else
#define OUTSTANDING(c) (context[c].sent > lastOf(context[c].last, c))
#endif

/*
 * D7 with a kept state: one transaction marks the kept state as not the latest, and demands that there is no other record and nothing
 * unread. A context that wants the state then says hello; one transaction of the lone member writes it, and removes the mark.
 */
#define MAY_BE_ALONE(c) (context[c].phase == MEMBER && context[c].members == c + 1 && context[c].burying == 0 && !OUTSTANDING(c) && \
  context[c].at == posted && !context[c].gap && aloneOne == 0 && registerLog == context[c].log && records == 1 << (c))
inline endAlone(c) {
  kept = PACKED(c);
  aloneOne = 0;
  printf("%d is not alone any more\n", c);
  sweep(c)
}
#ifdef ALONE_UNMARKED
#define STATE_KEPT true
#else
#define STATE_KEPT (aloneOne == 0)
#endif

#define WAITS_FOR(c, d) (has(stopped & ~dead, d) && before(context[c].queue, d, c))
#define SERVED(c) (!LIVES(c) || \
  (context[c].phase == MEMBER && lastOf(context[c].last, c) == FINAL(c) && !context[c].running) || \
  (context[c].phase == MEMBER && (WAITS_FOR(c, 0) || WAITS_FOR(c, 1) || WAITS_FOR(c, 2))) || \
  (context[c].phase == REGISTERED && aloneOne != 0 && has(stopped & ~dead, aloneOne - 1)))

/* Only a full store can delay these. */
proctype tasks(byte c) {
end:
  do
  :: d_step { LIVES(c) && CURRENT(c) && me.log == registerLog && !me.gap && me.at < posted -> deliver(c) }
  :: d_step { LIVES(c) && CURRENT(c) && me.log == registerLog && me.gap && STATE_KEPT -> restore(c) }
  :: d_step { LIVES(c) && me.phase == REGISTERED && me.log == registerLog && STATE_KEPT && (stateful & ~dead) != 0 -> restore(c) }
  :: d_step { LIVES(c) && (me.phase == OUT || me.phase == REGISTERED && (stateful & ~dead) == 0 || me.phase == REGISTERED && me.log != registerLog) -> enroll(c) }
  :: d_step { LIVES(c) && me.phase == RESTORED -> becomeMember(c) }
#ifdef SWEEP_UNCHECKED
  :: d_step { LIVES(c) && me.phase == MEMBER && aloneOne == 0 && (me.at > 0 || me.gap) -> sweep(c) }
#else
  :: d_step { LIVES(c) && me.phase == MEMBER && aloneOne == 0 && !me.gap && me.at > 0 -> sweep(c) }
#endif
  /* The client. */
  :: d_step { LIVES(c) && me.phase == MEMBER && me.sent == 0 && room -> act(c) }
  :: d_step { LIVES(c) && me.phase == MEMBER && MAY_REQUEST(c) && (room || aloneOne == c + 1) -> act(c) }
  :: d_step { LIVES(c) && me.phase == MEMBER && (MAY_RELEASE(c) || MAY_ABORT(c)) && (room || aloneOne == c + 1) -> act(c) }
  :: d_step { LIVES(c) && me.phase == MEMBER && aloneOne != c + 1 && fails < FAILS && (me.sent == 0 || MAY_REQUEST(c) || MAY_RELEASE(c) || MAY_ABORT(c)) -> fails++; decide(c); printf("%d fails to post %d\n", c, me.sent) }
  :: d_step { LIVES(c) && me.phase == MEMBER && OUTSTANDING(c) && room && !OWN_ON_ITS_WAY(c) && !me.gap && me.at == posted -> post(operation, c, 0, lastOf(me.last, c) + 1) }
  :: d_step { LIVES(c) && me.phase == MEMBER && OUTSTANDING(c) && room && repeats < REPEATS && aloneOne != c + 1 -> repeats++; post(operation, c, 0, lastOf(me.last, c) + 1) }
  /* Deaths. */
  :: d_step { LIVES(c) && me.phase == MEMBER && LEARNS(c, 0) -> learn(c, 0) }
  :: d_step { LIVES(c) && me.phase == MEMBER && LEARNS(c, 1) -> learn(c, 1) }
#if CONTEXTS > 2
  :: d_step { LIVES(c) && me.phase == MEMBER && LEARNS(c, 2) -> learn(c, 2) }
#endif
  :: d_step { LIVES(c) && me.phase == MEMBER && in(me.members, c) && ABSENT(c) != 0 -> bury(c, ABSENT(c)) }
  :: d_step { LIVES(c) && me.phase == MEMBER && me.burying != 0 && room -> postGone(c) }
#ifdef ALONE
  :: d_step { LIVES(c) && MAY_BE_ALONE(c) -> aloneOne = c + 1; printf("%d is alone\n", c) }
  :: d_step { LIVES(c) && aloneOne == c + 1 && records != 1 << (c) -> endAlone(c) }
#endif
  /* Faults. */
  :: d_step { LIVES(c) && me.phase != OUT && crashes < CRASHES -> crashes++; dead = dead | (1 << c); printf("%d dies\n", c) }
  :: d_step { LIVES(c) && me.phase != OUT && stops < STOPS -> stops++; stopped = stopped | (1 << c); printf("%d stops\n", c) }
  od
}

proctype rest_() {
end:
  do
  :: d_step {
      timeout ->
      for (i : 0 .. CONTEXTS - 1) {
        claim(6, SERVED(i))
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
  od;
  kept = PACKED(c)
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
