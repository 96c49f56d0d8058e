/*
 * The leader log of docs/protocol.md on a place of one order (Chromium, Firefox), as a model for spin. README.md says how to read it.
 *
 * One step of a context is one task: something is delivered or decided, the context changes, at most one message is posted. A
 * context that is frozen, busy or stopped is one that takes no step; so every schedule has all freezes in it.
 */

/* Bounds. */
#ifndef CONTEXTS
#define CONTEXTS 3 /* At most 3: a queue is a byte of four clients. */
#endif
#ifndef REQUESTS
#define REQUESTS 1 /* How many each client makes; at most 3. */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef EPOCHS
#define EPOCHS 3 /* The highest epoch; the first is 1. */
#endif
#ifndef MESSAGES
#define MESSAGES 6 /* Posted and not yet read by every living context. Who finds the channel full waits. */
#endif
#ifdef LIVENESS
#define SLOTS (MESSAGES + 2) /* Answers need room even then, or those who must read would wait for those who have read. */
#else
#define SLOTS MESSAGES
#endif
#ifndef HELLOS
#define HELLOS 2 /* How many hellos each context may post; for LIVENESS as many as it likes. */
#endif
#ifndef MEMBERS
#define MEMBERS CONTEXTS /* Members at the beginning, led by context 0; the others join (JOINING). */
#endif
#ifndef STOPS
#define STOPS 0 /* LIVENESS: how many contexts stop without a word, for ever or for a while. */
#endif

/* What is sent on the log channel; "want" and "challenge" to "here" only for LIVENESS. */
mtype = { nothing, prepare, lead, entry, hello, snapshot, resign, want, challenge, here };

/* How far a context has come in joining. */
#define OUT 0        /* No channel yet, or state dropped. */
#define LISTENING 1  /* The channel is open. */
#define REGISTERED 2 /* Has a record, and the floor. */
#define GREETING 3   /* Its hello is posted. */
#define WAITING 4    /* Its hello was delivered; what follows is kept until a snapshot comes. */
#define RESTORED 5   /* Has state, not yet registered as stateful. */
#define REPLICA 6

/* What a replica is in the log. */
#define FOLLOWER 0
#define WON 1      /* takeOver succeeded, nothing posted. */
#define PREPARED 2 /* prepare is posted. */
#define CUT 3      /* Its own prepare was delivered. */
#define LEADING 4  /* lead is posted. */

typedef Message {
  mtype kind;
  byte from;
  byte epoch;
  byte seq;
  byte client;
  byte number; /* Of the client's operation; 0 is "gone". */
  byte queue;
  byte members;
  short last
};

/* The log channel: one sequence, read by each context at its own pace. What all the living have read is forgotten. */
Message channel[SLOTS];
byte posted;

/* The register. A log's id is the epoch with which it began; [logOf] is that fact, which each message would carry. */
byte registerEpoch;
byte registerLeader;
byte registerLog;
byte records;
byte stateful;
byte logOf[EPOCHS + 1];
byte leaderOf[EPOCHS + 1];


typedef Context {
  byte at;      /* How many of the channel's messages it has read. */
  byte phase;
  byte role;
  byte epoch;   /* The one that it won. */
  byte seen;    /* The highest epoch that it knows of, from the register too. */
  byte highest; /* The highest prepare or lead delivered, or the floor. */
  byte log;
  byte helloNumber; /* Each hello has a new one (modulo 8), and the snapshot that answers it bears it. */
  /* The replica: what the core holds. */
  byte seq;
  byte queue;   /* Two bits a client (number + 1), the holder lowest. */
  byte members;
  short last;   /* Three bits a client. */
  /* The leader: the replica with what it has posted and not yet been delivered. */
  byte nextSeq;
  byte nextMembers;
  short nextLast;
  bit alone;
  /* The client. */
  byte sent;    /* Its last operation's number. */
  bit running;  /* Between callback entry and settlement. */
  bit granted;  /* Has seen the grant of its latest request. */
#ifdef LIVENESS
  short operations; /* On their way to this leader: five bits a client. */
  byte silent;      /* 1: challenge posted, 2: delivered. */
  bit vacant;       /* The leader of [seen] has resigned, or its record shows it dead. */
#endif
#ifdef MEMBER_WITHOUT_RECORD_KEPT
  byte deleted;     /* Whose records it has deleted itself. */
#endif
#ifdef ACT_ON_POSTING
  byte nextQueue;
#endif
#ifdef EARLY
  byte early;       /* The number of its request that it has entered before the log has granted it (R21). */
#endif
#ifdef FRESH_START_UNCHECKED
  bit unwatched; /* Saw no living stateful member in the register, some time ago. */
#endif
};
Context context[CONTEXTS];

#ifdef LIVENESS
byte stopped; /* Takes no step, and is not dead. */
byte lost;    /* Stopped for ever. */
byte stops;
#endif
#ifdef NO_DEDUPE
bit repeated;
#endif
#ifdef RESIGNS
byte resigns;
#endif

hidden byte m;
hidden byte k;
hidden byte n;
hidden byte lowest;

#ifdef ACT_ON_POSTING
#define ACTED(c) (me.role == LEADING)
#else
#define ACTED(c) false
#endif
#define SAME_LOG(c, i) (!has(dead, i) && context[i].phase >= RESTORED && context[i].log == me.log)
#define REGISTERED_ONCE(who) (has(records, who) || has(dead, who))
#define FENCE(c) me.seq
#include "core.pml"

#define message channel[m]
#define room (posted < MESSAGES)
#define roomToAnswer (posted < SLOTS)

/*
 * What a deposed leader posts after the prepare that deposed it is void for every reader. VOID_LEFT_OUT lets it post nothing from
 * there on, which leaves the same behaviour with fewer states; without it the void messages are posted, read and judged (R4).
 */
#ifdef VOID_LEFT_OUT
byte prepared;
#define HEARD (me.epoch >= prepared)
#else
#define HEARD true
#endif

inline post(kind_, from_, epoch_, seq_, client_, number_) {
  printf("%d posts %e: epoch %d, seq %d, client %d, number %d\n", from_, kind_, epoch_, seq_, client_, number_);
  channel[posted].kind = kind_;
  channel[posted].from = from_;
  channel[posted].epoch = epoch_;
  channel[posted].seq = seq_;
  channel[posted].client = client_;
  channel[posted].number = number_;
  posted++
}

inline postState(c) {
  channel[posted - 1].queue = me.queue;
  channel[posted - 1].members = me.members;
  channel[posted - 1].last = me.last
}

inline clear(slot) {
  channel[slot].kind = nothing;
  channel[slot].from = 0;
  channel[slot].epoch = 0;
  channel[slot].seq = 0;
  channel[slot].client = 0;
  channel[slot].number = 0;
  channel[slot].queue = 0;
  channel[slot].members = 0;
  channel[slot].last = 0
}

#ifdef LIVENESS
#define LOST lost
#else
#define LOST 0
#endif

/* Forgets what every living listener has read. Bookkeeping of the model alone. */
inline trim() {
  lowest = posted;
  for (i : 0 .. CONTEXTS - 1) {
    if
    :: !has(dead | LOST, i) && context[i].phase != OUT && context[i].at < lowest -> lowest = context[i].at
    :: else
    fi
  }
  if
  :: lowest > 0 ->
    for (i : 0 .. SLOTS - 1) {
      if
      :: i + lowest < posted ->
        channel[i].kind = channel[i + lowest].kind;
        channel[i].from = channel[i + lowest].from;
        channel[i].epoch = channel[i + lowest].epoch;
        channel[i].seq = channel[i + lowest].seq;
        channel[i].client = channel[i + lowest].client;
        channel[i].number = channel[i + lowest].number;
        channel[i].queue = channel[i + lowest].queue;
        channel[i].members = channel[i + lowest].members;
        channel[i].last = channel[i + lowest].last
      :: else -> clear(i)
      fi
    }
    for (i : 0 .. CONTEXTS - 1) {
      if
      :: !has(dead | LOST, i) && context[i].phase != OUT -> context[i].at = context[i].at - lowest
      :: else
      fi
    }
    posted = posted - lowest
  :: else
  fi
}

/* Leadership is over for this context, or was never had. */
inline follow(c) {
  me.role = FOLLOWER;
  me.epoch = 0;
  me.nextSeq = 0;
  me.nextMembers = 0;
  me.nextLast = 0;
  me.alone = 0;
#ifdef LIVENESS
  me.operations = 0;
#endif
#ifdef ACT_ON_POSTING
  me.nextQueue = 0;
#endif
}

/* Another log than its own: the state is dropped, and it joins. No log begins while a stateful member lives. */
inline dropState(c) {
  printf("%d drops its state\n", c);
  claim(1, me.phase < REPLICA);
  follow(c);
  me.phase = LISTENING;
  me.seq = 0;
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.sent = 0;
  me.granted = 0
}

inline beginLeading(c) {
  me.role = LEADING;
  me.nextSeq = me.seq;
  me.nextMembers = me.members;
  me.nextLast = me.last;
#ifdef ACT_ON_POSTING
  me.nextQueue = me.queue;
#endif
}

/* R8: one transaction. [fresh] begins a new log and clears all records. */
inline takeOver(c, fresh_) {
  if
#if defined(NO_EXPECTED)
  :: true ->
    registerEpoch = me.seen + 1;
#elif defined(FRESH_START_UNCHECKED)
  :: registerEpoch == me.seen || fresh_ ->
    registerEpoch++;
#else
  :: registerEpoch == me.seen && (!fresh_ || (stateful & ~dead) == 0 && registerLog == me.log) ->
    registerEpoch++;
#endif
    registerLeader = c;
    me.epoch = registerEpoch;
    me.seen = registerEpoch;
    if
    :: fresh_ ->
      registerLog = registerEpoch;
      records = 1 << c;
      stateful = 1 << c;
      me.log = registerLog;
      me.highest = registerEpoch;
      me.phase = REPLICA;
      lastFence = 0
    :: else -> stateful = stateful | (1 << c)
    fi;
    logOf[registerEpoch] = registerLog;
    leaderOf[registerEpoch] = c;
    me.role = WON;
    printf("%d takes over: epoch %d, log %d\n", c, me.epoch, me.log)
  :: else ->
    me.seen = registerEpoch;
    if
    :: registerLog != me.log -> dropState(c)
    :: else
    fi
  fi;
#ifdef LIVENESS
  me.silent = 0;
  me.vacant = 0
#endif
}

#ifdef LIVENESS
/* The client sends its operations from [first] on to whoever listens, that is, leads or thinks so. */
inline send(c, first) {
  for (i : 0 .. CONTEXTS - 1) {
    if
    :: i != c && !has(dead, i) && context[i].role == LEADING ->
      n = first;
      do
      :: n > me.sent -> break
      :: else -> context[i].operations = context[i].operations | (1 << (5 * c + n - 1)); n++
      od
    :: else
    fi
  };
  skip /* A d_step may not end with a loop. */
}
/* R2: what has no place yet is sent again. */
#ifdef RESEND_MISSING
#define RESEND(c) skip
#else
#define RESEND(c) send(c, lastOf(me.last, c) + 1)
#endif
#define SEND(c) printf("%d sends its operation %d\n", c, me.sent); send(c, me.sent)
#else
/* For safety the operations' channel may lose, repeat and reorder whatever it likes: it needs no state. See "place". */
#define RESEND(c) skip
#define SEND(c) printf("%d sends its operation %d\n", c, me.sent)
#endif

#ifdef SNAPSHOT_OF_AN_EARLIER_HELLO
#define ANSWERS_OWN(c, slot) true
#else
#define ANSWERS_OWN(c, slot) (channel[slot].number == context[c].helloNumber)
#endif

/* R4: prepare and lead raise the highest epoch; a lower leader or candidate gives up. */
inline hearEpoch(c) {
  me.highest = message.epoch;
  if
  :: message.epoch > me.seen -> me.seen = message.epoch;
#ifdef LIVENESS
    me.silent = 0;
    me.vacant = 0
#endif
  :: else
  fi;
  if
  :: me.role != FOLLOWER && me.epoch < message.epoch -> follow(c)
  :: else
  fi;
  if
  :: me.phase >= REGISTERED && logOf[message.epoch] != me.log -> dropState(c)
  :: else
  fi
}

/* [answering]: any replica may answer a hello, the leader does. */
inline deliver(c, answering) {
  m = me.at;
  me.at++;
  printf("%d is delivered %e from %d: epoch %d, seq %d, client %d, number %d\n",
    c, message.kind, message.from, message.epoch, message.seq, message.client, message.number);
  if
  :: message.kind == prepare && message.epoch >= me.highest ->
    hearEpoch(c);
    if
    :: message.from == c && me.role == PREPARED && me.epoch == message.epoch -> me.role = CUT
    :: else
    fi
  :: message.kind == lead && message.epoch >= me.highest ->
    hearEpoch(c);
    if
    :: me.phase >= RESTORED ->
      /* The base and the hash are everybody's. (Only one that has restored a later snapshot is ahead.) */
      claim(4, me.seq >= message.seq);
      claim(4, me.seq != message.seq || (me.queue == message.queue && me.members == message.members && me.last == message.last));
      RESEND(c)
    :: else
    fi
#ifdef FENCING_OFF
  :: message.kind == entry && me.phase >= RESTORED && logOf[message.epoch] == me.log ->
#else
  :: message.kind == entry && me.phase >= RESTORED && message.epoch >= me.highest && logOf[message.epoch] == me.log ->
#endif
    /* A leader that nobody has deposed never finds the place taken. */
    claim(5, message.from != c || me.role != LEADING || me.epoch != message.epoch || message.seq == me.seq + 1);
    if
    :: message.seq == me.seq + 1 -> apply(c, message.client, message.number)
    :: else -> claim(4, message.seq <= me.seq) /* On one order there are no gaps. */
    fi;
#ifdef LIVENESS
    me.silent = 0
#endif
  :: message.kind == hello ->
#ifndef REGISTER_EPOCH_UNREAD
    if
    :: message.epoch > me.seen && me.phase >= REGISTERED ->
      me.seen = message.epoch;
      if
      :: me.role != FOLLOWER && me.epoch < me.seen -> follow(c)
      :: else
      fi
    :: else
    fi;
#endif
    if
    :: message.from == c && me.phase == GREETING && ANSWERS_OWN(c, m) -> me.phase = WAITING
    :: message.from != c && me.phase == REPLICA && (me.role == LEADING || answering) ->
      me.alone = 0;
      n = message.from;
      k = message.number;
      post(snapshot, c, me.highest, me.seq, n, k);
      postState(c)
    :: else
    fi
#ifdef LIVENESS
  :: message.kind == resign && message.epoch == me.seen && message.from != c -> me.vacant = 1
  :: message.kind == want && message.client == c && me.phase == REPLICA -> RESEND(c)
  :: message.kind == challenge && message.epoch == me.seen ->
    if
    :: me.role == LEADING && me.epoch == message.epoch -> post(here, c, me.epoch, 0, 0, 0)
    :: message.from == c && me.silent == 1 -> me.silent = 2
    :: else
    fi
  :: message.kind == here && message.epoch == me.seen -> me.silent = 0
#endif
  :: else
  fi;
  trim()
}


/* A snapshot for this context since its hello, not below the floor and of the log in which it is registered. */
#define SNAPSHOT_AT(c, slot) ((slot) >= context[c].at && (slot) < posted && channel[slot].kind == snapshot && channel[slot].client == c && \
  channel[slot].epoch >= context[c].highest && logOf[channel[slot].epoch] == context[c].log && ANSWERS_OWN(c, slot))
#if SLOTS > 8
#error SNAPSHOT_FOR looks into eight slots
#endif
#ifdef LIVENESS
#define MAY_GREET true
#else
#define MAY_GREET (me.helloNumber < HELLOS)
#endif
#define SNAPSHOT_IN(c, slot) ((slot) < SLOTS && SNAPSHOT_AT(c, (slot) % SLOTS))
#define SNAPSHOT_FOR(c) (SNAPSHOT_IN(c, 0) || SNAPSHOT_IN(c, 1) || SNAPSHOT_IN(c, 2) || SNAPSHOT_IN(c, 3) || SNAPSHOT_IN(c, 4) || \
  SNAPSHOT_IN(c, 5) || SNAPSHOT_IN(c, 6) || SNAPSHOT_IN(c, 7))
inline findSnapshot(c) {
  m = me.at;
  do
  :: SNAPSHOT_AT(c, m) -> break
  :: else -> m++
  od
}

/* R7, R11: the snapshot's state; then what was delivered since the hello is read again, and what the state has in it is passed over. */
inline restore(c) {
  printf("%d restores a snapshot: epoch %d, seq %d\n", c, message.epoch, message.seq);
  me.highest = message.epoch;
  if
  :: message.epoch > me.seen -> me.seen = message.epoch
  :: else
  fi;
  me.seq = message.seq;
  me.queue = message.queue;
  me.members = message.members;
  me.last = message.last;
#ifdef ENTRIES_SINCE_HELLO_LOST
  me.at = m + 1;
#endif
  me.phase = RESTORED;
  trim()
}

/* The leader gives an operation its place, R1. Alone it acts at once, R6. */
inline place(c, who, number_) {
  me.nextSeq++;
  if
  :: number_ == 0 -> me.nextMembers = me.nextMembers & ~(1 << who)
  :: else ->
    setLast(me.nextLast, who, number_);
    if
    :: number_ == 1 -> me.nextMembers = me.nextMembers | (1 << who)
    :: else
    fi
  fi;
  if
  :: me.alone ->
    printf("%d applies alone: seq %d, client %d, number %d\n", c, me.nextSeq, who, number_);
    apply(c, who, number_)
  :: else -> post(entry, c, me.epoch, me.nextSeq, who, number_)
  fi
#ifdef ACT_ON_POSTING
  ;
  if
  :: number_ == 0 -> removeFrom(me.nextQueue, who)
  :: number_ > 1 && number_ % 2 == 0 -> appendTo(me.nextQueue, who)
  :: number_ > 1 && number_ % 2 == 1 -> removeFrom(me.nextQueue, who)
  :: else
  fi;
  if
  :: holder(me.nextQueue) == c + 1 && !me.granted && me.sent % 2 == 0 && lastOf(me.nextLast, c) == me.sent ->
    n = lastOf(me.last, c);
    setLast(me.last, c, me.sent);
    enter(c, me.nextSeq);
    setLast(me.last, c, n)
  :: else
  fi
#endif
}

/* Its holder's drop, or that of whoever is behind it, has a place, though perhaps one that has not been delivered. */
#define LETS_GO(one) ((one) != 0 && lastOf(me.nextLast, (one) - 1) > lastOf(me.last, (one) - 1))
#define AT(place) holder(me.queue >> (2 * (place)))
#ifdef EARLY_OUT_OF_TURN
#define IS_NEXT(c) (LETS_GO(AT(0)) && (AT(1) == c + 1 || AT(2) == c + 1))
#else
#define IS_NEXT(c) (LETS_GO(AT(0)) && (AT(1) == c + 1 || LETS_GO(AT(1)) && AT(2) == c + 1))
#endif

/* R21: a release is a fact when it has been made. Where only such are before its own request, the leader enters. */
inline enterEarly(c, number_) {
  if
  :: !me.alone && number_ > 1 && number_ % 2 == 1 && IS_NEXT(c) && me.sent % 2 == 0 && lastOf(me.last, c) == me.sent && !me.granted ->
    for (i : 0 .. CONTEXTS - 1) {
      claim(1, i == c || has(dead, i) || !context[i].running)
    }
    printf("%d enters its callback early\n", c);
    me.granted = 1;
    me.running = 1;
    me.early = me.sent
  :: else
  fi
}

inline die(c) {
  printf("%d dies\n", c);
  dead = dead | (1 << c);
  crashes++;
  follow(c);
  me.at = 0;
  me.phase = OUT;
  me.seen = 0;
  me.highest = 0;
  me.log = 0;
  me.seq = 0;
  me.queue = 0;
  me.members = 0;
  me.last = 0;
  me.running = 0;
  me.granted = 0;
#ifdef EARLY
  me.early = 0;
#endif
  me.helloNumber = 0;
#ifdef LIVENESS
  me.sent = 0;
  me.silent = 0;
  me.vacant = 0;
#endif
  trim()
}

/* Whether this leader has received operation [number] of client [k]. Its own need no channel. */
#ifdef LIVENESS
#define OPERATIONS(k) ((me.operations >> (5 * (k))) & 31)
#define ARRIVED(k, number) ((k) == c && (number) <= me.sent || ((OPERATIONS(k) >> ((number) - 1)) & 1))
#define FIRST_ARRIVED(k) (OPERATIONS(k) == 0 -> 0 : (OPERATIONS(k) & 1 -> 1 : (OPERATIONS(k) & 2 -> 2 : (OPERATIONS(k) & 4 -> 3 : \
  (OPERATIONS(k) & 8 -> 4 : 5)))))
#define CLEAR_ARRIVED(k, number) me.operations = me.operations & ~(1 << (5 * (k) + (number) - 1))
#else
#define ARRIVED(k, number) ((number) <= context[k].sent)
#define CLEAR_ARRIVED(k, number) skip
#endif
#define NEXT_NUMBER(k) (lastOf(me.nextLast, k) + 1)

/* The death that a watcher learns of: after it, never before; how long after is up to the schedule. */
#ifdef DEATH_TOO_EARLY
#define DEATH_OF(k) true
#else
#define DEATH_OF(k) has(dead, k)
#endif

/* R3: who has no record any more has died: its leader deleted it, though perhaps not this one. */
#ifdef MEMBER_WITHOUT_RECORD_KEPT
#define DELETED(k) me.deleted = me.deleted | (1 << k)
#else
#define DELETED(k) skip
#endif
#if defined(GONE_MISSING)
#define GONE(k) false
#elif defined(MEMBER_WITHOUT_RECORD_KEPT)
#define GONE(k) has(me.deleted, k)
#else
#define GONE(k) (!has(records, k))
#endif

/* R6. That nothing of its own is on its way is not in the rule's text, and needed. */
#ifdef ALONE_WITH_SOME_ON_THEIR_WAY
#define BECOMES_ALONE(c) (records == 1 << c && (me.members & ~(1 << c)) == 0)
#elif defined(ALONE_WITHOUT_REGISTER)
#define BECOMES_ALONE(c) ((me.members & ~(1 << c)) == 0 && me.nextSeq == me.seq)
#else
#define BECOMES_ALONE(c) (records == 1 << c && (me.members & ~(1 << c)) == 0 && me.nextSeq == me.seq)
#endif

/* What the leader should have placed: an operation of one's own, or the death of somebody in whose queue one is. */
#ifdef DEATH_WITHOUT_PLACE_BORNE
#define WITHOUT_A_PLACE(c) (me.sent > lastOf(me.last, c))
#else
#define WITHOUT_A_PLACE(c) (me.sent > lastOf(me.last, c) || me.sent % 2 == 0 && (me.members & dead) != 0)
#endif

#ifdef LIVENESS
/*
 * Nothing is going on: who runs has read everything, done what it had to do, and waits. Only then do timers fire (R11's hello again,
 * R12's challenge and take-over): 500 ms are long, and whoever runs has answered within them. Faults may strike in the calm, too.
 */
#define DEAD_TO_PLACE(c, k) (has(dead, k) && (has(records, k) || has(context[c].nextMembers, k)))
#define CALM(c) (has(dead | stopped, c) || (context[c].phase == OUT || \
  context[c].phase == WAITING && !SNAPSHOT_FOR(c) && (stateful & ~dead) != 0 && registerLog == context[c].log || \
  context[c].phase == REPLICA && context[c].at == posted && !context[c].running && context[c].sent > 0 && \
  (context[c].sent == FINAL(c) || context[c].sent % 2 == 0 || lastOf(context[c].last, c) == 0) && \
  (context[c].role == FOLLOWER && !has(dead, leaderOf[context[c].seen]) && !context[c].vacant || \
   context[c].role == LEADING && context[c].nextSeq == context[c].seq && context[c].operations == 0 && context[c].sent == lastOf(context[c].nextLast, c) && \
   !DEAD_TO_PLACE(c, 0) && !DEAD_TO_PLACE(c, 1) && !DEAD_TO_PLACE(c, 2))))
#if CONTEXTS > 2
#define ALL_CALM (CALM(0) && CALM(1) && CALM(2))
#else
#define ALL_CALM (CALM(0) && CALM(1))
#endif
#endif

/* Who follows may answer a hello; for LIVENESS it does. */
#ifdef LIVENESS
#define ALWAYS_ANSWERS true
#else
#define ALWAYS_ANSWERS false
#endif

#ifdef LATE_JOINING
#define JOINS_NOW ALL_CALM
#else
#define JOINS_NOW true
#endif
#define MAY_ANSWER(what) (me.phase == REPLICA && what.from != c && (what.kind == hello || what.kind == challenge))
#define READABLE (me.phase != OUT && me.phase != WAITING && me.at < posted)
/* For safety anybody may depose anybody at any time: more than R10, R12 and R13 allow. */
#ifdef LIVENESS
#define JUSTIFIED (has(dead, leaderOf[me.seen]) || me.vacant || me.silent == 2 && ALL_CALM)
#else
#define JUSTIFIED true
#endif
#ifdef FRESH_START_UNCHECKED
#define NOBODY_IN_THE_WAY (me.unwatched)
#else
#define NOBODY_IN_THE_WAY ((stateful & ~dead) == 0)
#endif
#ifdef STATEFUL_UNREGISTERED
#define SENDS_FROM RESTORED
#else
#define SENDS_FROM REPLICA
#endif
#define CAN_LEAD (me.phase >= RESTORED && me.role == FOLLOWER && registerEpoch < EPOCHS)

/* What a leader does for client [k]. */
inline leadFor(c, k) {
  if
  /* R1, R3: its next operation gets a place; a join only if the register shows the record. */
  :: d_step {
      me.role == LEADING && HEARD && (room || me.alone) &&
      NEXT_NUMBER(k) <= FINAL(k) && ARRIVED(k, NEXT_NUMBER(k)) &&
      (has(me.nextMembers, k) || NEXT_NUMBER(k) == 1 && has(records, k)) ->
      n = NEXT_NUMBER(k);
      CLEAR_ARRIVED(k, n);
      place(c, k, n)
#ifdef EARLY
      ;
      enterEarly(c, n)
#endif
    }
#ifdef NO_DEDUPE
  :: d_step {
      me.role == LEADING && !me.alone && room && has(me.nextMembers, k) && lastOf(me.nextLast, k) == 2 && !repeated ->
      repeated = true;
      place(c, k, 2)
    }
#endif
#ifdef LIVENESS
  /* R1, R3: a duplicate is dropped, so is what comes from no member; a gap is asked for. */
  :: d_step {
      me.role == LEADING && FIRST_ARRIVED(k) != 0 &&
      (FIRST_ARRIVED(k) <= lastOf(me.nextLast, k) || !has(me.nextMembers, k) && (FIRST_ARRIVED(k) != 1 || !has(records, k))) ->
      CLEAR_ARRIVED(k, FIRST_ARRIVED(k))
    }
  :: d_step {
      me.role == LEADING && room && has(me.nextMembers, k) && FIRST_ARRIVED(k) > lastOf(me.nextLast, k) + 1 ->
      CLEAR_ARRIVED(k, FIRST_ARRIVED(k));
#ifndef WANT_MISSING
      post(want, c, me.epoch, 0, k, 0)
#endif
    }
#endif
  /* R3: the record of a dead context is deleted; in a later step its gone is placed. */
  :: d_step {
      me.role == LEADING && k != c && DEATH_OF(k) && has(records, k) ->
#ifndef REGISTER_EPOCH_UNREAD
      if
      :: registerEpoch > me.epoch -> me.seen = registerEpoch; follow(c)
      :: else -> printf("%d deletes the record of %d\n", c, k); DELETED(k); records = records & ~(1 << k); stateful = stateful & ~(1 << k)
      fi
#else
      records = records & ~(1 << k);
      stateful = stateful & ~(1 << k)
#endif
    }
  :: d_step {
      me.role == LEADING && has(me.nextMembers, k) && GONE(k) && HEARD && (room || me.alone) ->
      place(c, k, 0)
    }
  fi
}

proctype Run(byte c) {
end:
  do
  /* The channel. */
  :: d_step { READABLE && (roomToAnswer || !MAY_ANSWER(channel[me.at])) -> deliver(c, ALWAYS_ANSWERS) }
#if defined(JOINING) && !defined(LIVENESS)
  :: d_step {
      READABLE && channel[me.at].kind == hello && channel[me.at].from != c && me.phase == REPLICA && me.role != LEADING && room ->
      deliver(c, true)
    }
#endif

#ifdef LOSES_MESSAGES
  /* The place breaks its promise: all or none. */
  :: d_step { READABLE -> me.at++; trim(); printf("%d misses a message\n", c) }
#endif

  /* The client. */
#ifdef JOINING
  :: d_step { me.phase >= SENDS_FROM && me.sent == 0 -> me.sent = 1; SEND(c) }
#endif
  :: d_step {
      me.phase >= SENDS_FROM && lastOf(me.last, c) > 0 && me.sent % 2 == 1 && me.sent < FINAL(c) ->
      me.sent++;
      me.granted = 0;
      SEND(c)
    }
  :: d_step { me.running -> me.running = 0; me.sent++; SEND(c) }
#ifndef NO_ABORTS
  :: d_step { me.sent > 0 && me.sent % 2 == 0 && !me.granted -> me.sent++; SEND(c) }
#endif

  /* Elections. */
  :: d_step { CAN_LEAD && JUSTIFIED -> takeOver(c, false) }
  :: d_step {
      me.role == WON && HEARD && room ->
#ifdef VOID_LEFT_OUT
      prepared = me.epoch;
#endif
      post(prepare, c, me.epoch, 0, 0, 0);
      me.role = PREPARED;
#ifdef CUT_AT_POSTING
      me.highest = me.epoch;
      me.role = CUT
#endif
    }
  :: d_step {
      me.role == CUT && HEARD && room ->
      post(lead, c, me.epoch, me.seq, 0, 0);
      postState(c);
      beginLeading(c)
    }
#ifdef RESIGNS
  :: d_step { me.role == LEADING && HEARD && !me.alone && room && resigns < RESIGNS -> resigns++; post(resign, c, me.epoch, 0, 0, 0); follow(c) }
#endif

#if defined(LIVENESS) && !defined(CHALLENGE_MISSING)
  /* R12: 500 ms without a place.  */
  :: d_step {
      ALL_CALM && me.phase == REPLICA && me.role == FOLLOWER && me.silent == 0 && WITHOUT_A_PLACE(c) && room ->
      RESEND(c);
      post(challenge, c, me.seen, 0, 0, 0);
      me.silent = 1
    }
#endif

  /* The leader. */
  :: leadFor(c, 0)
  :: leadFor(c, 1)
#if CONTEXTS > 2
  :: leadFor(c, 2)
#endif
#ifdef ALONE
  :: d_step { me.role == LEADING && !me.alone && BECOMES_ALONE(c) -> me.alone = 1; printf("%d is alone\n", c) }
#endif

  /* Joining, R11. */
#ifdef JOINING
  :: d_step { me.phase == OUT && JOINS_NOW -> me.phase = LISTENING; me.at = posted; printf("%d listens\n", c) }
#ifdef EARLY_HELLO
  /* Before it has registered, so that who is alone is so no longer when the answer is wanted. */
  :: d_step {
      me.phase == LISTENING && me.helloNumber == 0 && room ->
      me.helloNumber = 1;
      post(hello, c, 0, 0, 0, 1)
    }
#endif
  :: d_step {
      me.phase == LISTENING ->
      me.phase = REGISTERED;
      me.seen = registerEpoch;
#ifndef FLOOR_UNREAD
      me.highest = registerEpoch;
#endif
      me.log = registerLog;
      printf("%d registers: floor %d, log %d\n", c, me.highest, me.log);
      records = records | (1 << c)
    }
  :: d_step {
      me.phase == REGISTERED && room && MAY_GREET ->
      me.helloNumber = (me.helloNumber + 1) % 8;
      post(hello, c, me.highest, 0, 0, me.helloNumber);
      me.phase = GREETING
    }
#ifdef FRESH_START_UNCHECKED
  :: d_step { me.phase >= REGISTERED && me.phase < RESTORED && (stateful & ~dead) == 0 && !me.unwatched -> me.unwatched = 1 }
#endif
#ifdef LIVENESS
  /* [at] is 0 when all who live have read the hello. */
  :: d_step { me.phase == WAITING && me.at == 0 && !SNAPSHOT_FOR(c) && (ALL_CALM || !room) -> me.phase = REGISTERED }
#else
  :: d_step { me.phase == WAITING && MAY_GREET -> me.phase = REGISTERED }
#endif
  :: d_step { me.phase == WAITING && SNAPSHOT_FOR(c) -> findSnapshot(c); restore(c) }
  :: d_step {
      me.phase == RESTORED ->
      if
      :: registerLog == me.log && has(records, c) ->
        printf("%d registers as stateful\n", c);
        me.phase = REPLICA;
        stateful = stateful | (1 << c)
      :: else -> dropState(c)
      fi
    }
  :: d_step {
      me.phase >= REGISTERED && me.phase < RESTORED && (NOBODY_IN_THE_WAY && registerEpoch < EPOCHS || registerLog != me.log) ->
      takeOver(c, true);
      if
      :: me.role == WON -> beginLeading(c); me.alone = 1
      :: else
      fi
    }
#endif

#if CRASHES
  :: d_step { crashes < CRASHES && me.phase != OUT -> die(c) } -> break
#endif
#if STOPS
  :: d_step { stops < STOPS && me.phase != OUT -> stops++; stopped = stopped | (1 << c); printf("%d stops\n", c) } ->
    if
    :: d_step { registerEpoch != me.seen || ALL_CALM || !room -> stopped = stopped & ~(1 << c); printf("%d wakes\n", c) }
#if CRASHES
    :: d_step { crashes < CRASHES -> stopped = stopped & ~(1 << c); die(c) } -> break
#endif
    fi
  :: d_step { stops < STOPS && me.phase != OUT -> stops++; stopped = stopped | (1 << c); lost = lost | (1 << c); printf("%d stops for ever\n", c); me.at = 0; trim() } -> break
#endif
  od
}

#ifdef LIVENESS
/* L1, L2: in the end every client that runs has made all its requests and seen the last one end, unless one that is stopped holds the lock ... */
#define DONE(c) (context[c].phase == REPLICA && context[c].sent == FINAL(c) && lastOf(context[c].last, c) == FINAL(c))
#define HELD_BY_STOPPED(c) (stopped != 0 && context[c].sent > 0 && lastOf(context[c].last, c) == context[c].sent && \
  holder(context[c].queue) != 0 && has(stopped, holder(context[c].queue) - 1))
/* ... or it has no state, and those that have are stopped. */
#define STATE_STOPPED(c) (context[c].phase < RESTORED && (stateful & ~dead) != 0 && (stateful & ~dead & ~stopped) == 0)
#define SERVED(c) (has(dead | stopped, c) || DONE(c) || HELD_BY_STOPPED(c) || STATE_STOPPED(c))
#if CONTEXTS > 2
ltl served { <> [] (SERVED(0) && SERVED(1) && SERVED(2)) }
#else
ltl served { <> [] (SERVED(0) && SERVED(1)) }
#endif
#endif

#if defined(LIVENESS)
/* Faults may stop short of their bounds. */
active proctype NoMoreFaults() {
end:
  do
  :: d_step { crashes < CRASHES || stops < STOPS -> crashes = CRASHES; stops = STOPS }
  od
}
#endif

init {
  d_step {
    for (k : 0 .. CONTEXTS - 1) {
#if MEMBERS
      if
      :: k < MEMBERS ->
        records = records | (1 << k);
        stateful = stateful | (1 << k);
        context[k].phase = REPLICA;
        context[k].seen = 1;
        context[k].highest = 1;
        context[k].log = 1;
        context[k].sent = 1;
        context[k].members = (1 << MEMBERS) - 1;
        for (i : 0 .. MEMBERS - 1) {
          setLast(context[k].last, i, 1)
        }
      :: else
      fi
#endif
      skip
    }
#if MEMBERS
    registerEpoch = 1;
    registerLog = 1;
    logOf[1] = 1;
    context[0].role = LEADING;
    context[0].epoch = 1;
    context[0].nextMembers = context[0].members;
    context[0].nextLast = context[0].last
#if MEMBERS == 1
    ;
    context[0].alone = 1
#endif
#endif
  }
  atomic {
    run Run(0);
    run Run(1);
#if CONTEXTS > 2
    run Run(2)
#endif
  }
}
