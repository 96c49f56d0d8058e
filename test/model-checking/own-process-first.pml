/*
 * The leader log on a place without one order (WebKit: a message reaches the sender's own process first, the others later; the order
 * is kept per sender only). Modelled weaker: what two senders posted arrives in any order, at each receiver in another one.
 *
 * Three ways, to be compared:
 *   as it is     R12 off, and at a take-over every record's answer or death is waited for (R9);
 *   DEPOSES      R12 on: a living, silent leader is deposed, and its answer not waited for. Unsafe, as the rules say;
 *   COMMITS      the leader writes each entry to the register before it posts it, if the epoch there is still its own. The register
 *                is then the one order: no entry is ever void, a silent leader can be deposed, and nobody's answer is waited for.
 *
 * A death is learnt at any time after it, also before the dead context's last message is delivered. Nobody joins here: joining is
 * modelled in leader-log.pml.
 */
#ifndef CONTEXTS
#define CONTEXTS 3
#endif
#ifndef REQUESTS
#define REQUESTS 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef EPOCHS
#define EPOCHS 3
#endif
#ifndef MESSAGES
#define MESSAGES 4 /* On their way from one context to another. */
#endif

mtype = { prepare, ready, lead, entry };

#define FOLLOWER 0
#define WON 1       /* takeOver succeeded. COMMITS: what is committed and not yet here is waited for. */
#define PREPARED 2  /* prepare is posted; answers are waited for. */
#define LEADING 3

typedef Context {
  byte role;
  byte epoch;
  byte highest;
  byte seq;
  byte queue;
  byte members;
  short last;
  byte nextSeq;
  byte nextMembers;
  short nextLast;
  byte sent;
  bit running;
  bit granted;
  byte answered; /* Whose answers this candidate has; a set. */
#ifdef COMMITS
  byte base;     /* The last committed place at this candidate's take-over. */
  byte client;   /* What is committed there: the leader before it may not have posted it. */
  byte number;
  bit unposted;  /* Committed by this leader, and not yet posted. */
#endif
};
Context context[CONTEXTS];

byte registerEpoch;
byte registerLeader;
#ifdef DEPOSES
byte leaderOf[EPOCHS + 1];
#endif
#ifdef COMMITS
byte registerSeq; /* The last entry. */
byte registerClient;
byte registerNumber;
#endif

#define SAME_LOG(c, i) (!has(dead, i))
#define REGISTERED_ONCE(who) true
#define ACTED(c) false
#ifdef COMMITS
#define FENCE(c) me.seq
#else
/* The epoch is needed: what a leader was alone to see, before it died, is void, and another grant then has that place's number. */
#define FENCE(c) (16 * me.highest + me.seq)
#endif
#include "core.pml"

#define ALL ((1 << CONTEXTS) - 1)
#define way(from, to) ways[(from) * CONTEXTS + (to)]

/* kind, epoch, seq, client, number, queue, members, last */
chan ways[CONTEXTS * CONTEXTS] = [MESSAGES] of { mtype, byte, byte, byte, byte, byte, byte, short };

hidden byte kind;
hidden byte epoch;
hidden byte seq;
hidden byte client;
hidden byte number;
hidden byte queue;
hidden byte members;
hidden short last;

#if CONTEXTS > 2
#define room (nfull(way(c, 0)) && nfull(way(c, 1)) && nfull(way(c, 2)))
#define ANSWERED ((me.answered | dead) == ALL)
#else
#define room (nfull(way(c, 0)) && nfull(way(c, 1)))
#define ANSWERED ((me.answered | dead) == ALL)
#endif

/* All or none: a message is on its way to every living context, the sender included. */
inline post(kind_, epoch_, seq_, client_, number_) {
  printf("%d posts %e: epoch %d, seq %d, client %d, number %d\n", c, kind_, epoch_, seq_, client_, number_);
  for (i : 0 .. CONTEXTS - 1) {
    if
    :: !has(dead, i) && (kind_ == lead || kind_ == ready) ->
      way(c, i) ! kind_, epoch_, seq_, client_, number_, me.queue, me.members, me.last
    :: !has(dead, i) && kind_ != lead && kind_ != ready -> way(c, i) ! kind_, epoch_, seq_, client_, number_, 0, 0, 0
    :: else
    fi
  }
  i = 0
}

inline follow() {
  me.role = FOLLOWER;
  me.epoch = 0;
  me.nextSeq = 0;
  me.nextMembers = 0;
  me.nextLast = 0;
  me.answered = 0;
#ifdef COMMITS
  me.base = 0;
  me.client = 0;
  me.number = 0;
  me.unposted = 0
#endif
}

inline beginLeading() {
  me.role = LEADING;
  me.answered = 0;
  me.nextSeq = me.seq;
  me.nextMembers = me.members;
  me.nextLast = me.last
}

/* R7: a later state takes the place of one's own; one's request that is held there is run. */
inline restore() {
  printf("%d restores seq %d\n", c, seq);
  me.seq = seq;
  me.queue = queue;
  me.members = members;
  me.last = last;
  if
  :: holder(queue) == c + 1 && !me.granted && me.sent % 2 == 0 && lastOf(last, c) == me.sent -> enter(c, FENCE(c))
  :: else
  fi;
  claim(1, !me.running || holder(queue) == c + 1) /* What runs is held there. */
}

inline takeOver() {
  registerEpoch++;
  registerLeader = c;
  me.epoch = registerEpoch;
#ifdef DEPOSES
  leaderOf[registerEpoch] = c;
#endif
  me.role = WON;
#ifdef COMMITS
  me.base = registerSeq;
  me.client = registerClient;
  me.number = registerNumber;
#endif
  printf("%d takes over: epoch %d\n", c, me.epoch)
}

#ifndef COMMITS
inline hearEpoch() {
  me.highest = epoch;
  if
  :: me.role != FOLLOWER && me.epoch < epoch -> follow()
  :: else
  fi
}
#endif

/* An entry that leaves a gap waits: in COMMITS what fills it is on its way. */
#ifdef COMMITS
#define FITS(from, back) (way(from, c) ? [entry, _, eval(me.seq + 1 - (back)), _, _, _, _, _])
#define READABLE(from) (nempty(way(from, c)) && (!(way(from, c) ? [entry, _, _, _, _, _, _, _]) || \
  FITS(from, 0) || FITS(from, 1) || FITS(from, 2) || FITS(from, 3) || FITS(from, 4) || FITS(from, 5) || FITS(from, 6) || FITS(from, 7)))
#else
#define READABLE(from) (nempty(way(from, c)) && (room || !(way(from, c) ? [prepare, _, _, _, _, _, _, _])))
#endif

inline deliver(from) {
  way(from, c) ? kind, epoch, seq, client, number, queue, members, last;
  printf("%d is delivered %e from %d: epoch %d, seq %d, client %d, number %d\n", c, kind, from, epoch, seq, client, number);
  if
#ifdef COMMITS
  :: kind == entry && seq == me.seq + 1 -> apply(c, client, number)
#else
  :: kind == prepare && epoch >= me.highest ->
    hearEpoch();
    if
    :: from != c -> post(ready, epoch, me.seq, 0, 0)
    :: else -> me.answered = me.answered | (1 << c)
    fi
  :: kind == ready && me.role == PREPARED && epoch == me.epoch ->
    me.answered = me.answered | (1 << from);
    if
    :: seq > me.seq -> restore()
    :: else
    fi
  :: kind == lead && epoch >= me.highest ->
    hearEpoch();
    claim(4, me.seq <= seq);
    if
    :: seq > me.seq -> restore()
    :: else
    fi
  :: kind == entry && epoch >= me.highest ->
    claim(5, from != c || me.role != LEADING || me.epoch != epoch || seq == me.seq + 1);
    if
    :: seq == me.seq + 1 -> apply(c, client, number)
    :: else -> claim(4, seq <= me.seq)
    fi
#endif
  :: else
  fi;
  kind = 0
}

inline place(who, number_) {
  me.nextSeq++;
  if
  :: number_ == 0 -> me.nextMembers = me.nextMembers & ~(1 << who)
  :: else -> setLast(me.nextLast, who, number_)
  fi;
#ifdef COMMITS
  registerSeq = me.nextSeq;
  registerClient = who;
  registerNumber = number_;
  me.client = who;
  me.number = number_;
  me.unposted = 1;
  printf("%d commits seq %d, client %d, number %d\n", c, me.nextSeq, who, number_)
#else
  post(entry, me.epoch, me.nextSeq, who, number_)
#endif
}

#ifdef COMMITS
#define MAY_PLACE (me.role == LEADING && !me.unposted && registerEpoch == me.epoch)
#else
#define MAY_PLACE (me.role == LEADING && room)
#endif

inline leadFor(k) {
  if
  :: d_step {
      MAY_PLACE && has(me.nextMembers, k) && lastOf(me.nextLast, k) + 1 <= context[k].sent ->
      number = lastOf(me.nextLast, k) + 1;
      place(k, number)
    }
  :: d_step { MAY_PLACE && has(me.nextMembers, k) && has(dead, k) -> place(k, 0) }
  fi
}

inline die() {
  printf("%d dies\n", c);
  dead = dead | (1 << c);
  crashes++;
  follow();
  me.highest = 0;
  me.seq = 0;
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.running = 0;
  me.granted = 0;
  for (i : 0 .. CONTEXTS - 1) { /* What was on its way to it. */
    do
    :: nempty(way(i, c)) -> way(i, c) ? kind, epoch, seq, client, number, queue, members, last
    :: empty(way(i, c)) -> break
    od
  }
  kind = 0
}

#if defined(DEPOSES)
#define JUSTIFIED true
/* The deposed leader is silent: its answer is not waited for. (It led the epoch before; so with two candidates.) */
#define ENOUGH ((me.answered | dead | (1 << leaderOf[me.epoch - 1])) == ALL)
#elif defined(COMMITS) && defined(LIVENESS)
/* The last epochs are kept for the deaths, so that the bound leaves nobody without a leader. */
#define JUSTIFIED (registerEpoch < EPOCHS - CRASHES || has(dead, registerLeader))
#elif defined(COMMITS)
#define JUSTIFIED true
#elif defined(DEATH_AFTER_LAST_MESSAGE)
#define JUSTIFIED has(dead, registerLeader) && empty(way(registerLeader, c))
#define ENOUGH true
#elif defined(ANSWERS_NOT_AWAITED)
#define JUSTIFIED has(dead, registerLeader)
#define ENOUGH true
#else
#define JUSTIFIED has(dead, registerLeader)
#define ENOUGH ANSWERED
#endif

proctype Run(byte c) {
end:
  do
  :: d_step { READABLE(0) -> deliver(0) }
  :: d_step { READABLE(1) -> deliver(1) }
#if CONTEXTS > 2
  :: d_step { READABLE(2) -> deliver(2) }
#endif

  :: d_step { me.sent % 2 == 1 && me.sent < FINAL(c) -> me.sent++; me.granted = 0 }
  :: d_step { me.running -> me.running = 0; me.sent++ }
#ifndef NO_ABORTS
  :: d_step { me.sent % 2 == 0 && !me.granted -> me.sent++ }
#endif

  :: d_step { me.role == FOLLOWER && registerEpoch < EPOCHS && JUSTIFIED -> takeOver() }
#ifdef COMMITS
  /* The last committed entry is taken from the register, and posted for those whom its own leader left without it. */
  :: d_step {
      me.role == WON && me.seq + 1 >= me.base && room ->
      if
      :: me.seq < me.base -> apply(c, me.client, me.number)
      :: else
      fi;
#ifndef LAST_ENTRY_NOT_POSTED_AGAIN
      if
      :: me.base > 0 -> post(entry, me.epoch, me.base, me.client, me.number)
      :: else
      fi;
#endif
      beginLeading()
    }
  :: d_step { me.unposted && room -> me.unposted = 0; post(entry, me.epoch, me.nextSeq, me.client, me.number) }
  /* The register shows it that it was deposed. */
  :: d_step { me.role == LEADING && !me.unposted && registerEpoch != me.epoch -> follow() }
#else
  :: d_step { me.role == WON && room -> post(prepare, me.epoch, me.seq, 0, 0); me.role = PREPARED }
  :: d_step {
      me.role == PREPARED && has(me.answered, c) && ENOUGH && room ->
      post(lead, me.epoch, me.seq, 0, 0);
      beginLeading()
    }
#endif

  :: leadFor(0)
  :: leadFor(1)
#if CONTEXTS > 2
  :: leadFor(2)
#endif

#if CRASHES
  :: d_step { crashes < CRASHES -> die() } -> break
#endif
  od
}

#ifdef LIVENESS
/* Faults may stop short of their bound. */
active proctype NoMoreFaults() {
end:
  do
  :: d_step { crashes < CRASHES -> crashes = CRASHES }
  od
}

/* L1, L2. */
#define SERVED(c) (has(dead, c) || context[c].sent == FINAL(c) && lastOf(context[c].last, c) == FINAL(c))
#if CONTEXTS > 2
ltl served { <> [] (SERVED(0) && SERVED(1) && SERVED(2)) }
#else
ltl served { <> [] (SERVED(0) && SERVED(1)) }
#endif
#endif

init {
  d_step {
    registerEpoch = 1;
    for (i : 0 .. CONTEXTS - 1) {
      context[i].highest = 1;
      context[i].sent = 1;
      context[i].members = ALL;
      setLast(context[i].last, 0, 1);
      setLast(context[i].last, 1, 1);
#if CONTEXTS > 2
      setLast(context[i].last, 2, 1)
#endif
    }
    context[0].role = LEADING;
    context[0].epoch = 1;
    context[0].nextMembers = context[0].members;
    context[0].nextLast = context[0].last
  }
  atomic {
    run Run(0);
    run Run(1);
#if CONTEXTS > 2
    run Run(2)
#endif
  }
}
