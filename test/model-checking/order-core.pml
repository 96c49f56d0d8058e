/*
 * What the models of one order share: the core (one name, exclusive, first come first served, and steals), its client, the claims.
 * A context has the fields queue, members, last (its replica) and sent, running, granted (its client).
 *
 * A list of clients is a byte, two bits each (number + 1), the first one lowest. Members are listed by age: the first one leads.
 */
#ifndef REQUESTERS
#define REQUESTERS 7 /* The clients that make requests, a set; the others only join. */
#endif
#ifndef REQUESTS
#define REQUESTS 1   /* How many requests each of them makes, one after the other; at most 3. */
#endif
#ifndef THIEVES
#define THIEVES 0    /* The clients whose last request steals, a set. */
#endif

#define me context[c]
#define has(set, who) (((set) >> (who)) & 1)
#define first(list) ((list) & 3)
#define second(list) (((list) >> 2) & 3)
#define third(list) (((list) >> 4) & 3)
#define in(list, who) (first(list) == (who) + 1 || second(list) == (who) + 1 || third(list) == (who) + 1)
#define length(list) ((list) == 0 -> 0 : ((list) < 4 -> 1 : ((list) < 16 -> 2 : 3)))
#define before(list, who, whom) ((first(list) == (who) + 1 && (second(list) == (whom) + 1 || third(list) == (whom) + 1)) || \
  (second(list) == (who) + 1 && third(list) == (whom) + 1))
#define setOf(list) (((1 << first(list)) | (1 << second(list)) | (1 << third(list))) >> 1)

/* The number of a client's last operation: 1 joins, even ones request, odd ones drop. */
#define FINAL(c) (((REQUESTERS >> (c)) & 1) * 2 * REQUESTS + 1)
#define lastOf(numbers, who) (((numbers) >> (3 * (who))) & 7)
#define setLast(numbers, who, to) numbers = (numbers & ~(7 << (3 * (who)))) | ((to) << (3 * (who)))
#define STEALS(who, number) (has(THIEVES, who) && (number) == FINAL(who) - 1)

byte dead;   /* Sets. */
byte stolen; /* Clients with a request that a steal has broken, wherever that has been delivered by now. */

hidden byte i;
hidden byte holder;
hidden byte rest;

#include "claim.pml"

inline removeFrom(list, who) {
  rest = list;
  list = 0;
  i = 0;
  do
  :: rest == 0 -> break
  :: else ->
    if
    :: (rest & 3) != (who) + 1 -> list = list | ((rest & 3) << i); i = i + 2
    :: else
    fi;
    rest = rest >> 2
  od
}

#define append(list, who) list = list | (((who) + 1) << (2 * length(list)))

/* The callback of the context's own open request is entered: S1, S2. EXCUSED says which others may be inside. */
inline enter(c) {
  claim(2, lastOf(me.last, c) % 2 == 0); /* Not after its drop. */
  if
  :: me.sent % 2 == 0 && lastOf(me.last, c) == me.sent -> /* Not dropped by itself meanwhile. */
    claim(2, !me.granted); /* Once. */
    me.granted = 1;
    for (i : 0 .. CONTEXTS - 1) {
      claim(1, i == c || has(dead | stolen, i) || has(stolen, c) || !context[i].running || EXCUSED(c, i))
    }
    printf("%d enters its callback\n", c);
    me.running = 1
  :: else
  fi
}

#define IN_TURN(c, who, number) ((number) == lastOf(me.last, who) + 1 && ((number) == 1 || in(me.members, who)))

/* Operation [number_] of [who] is applied to this context's replica; 0 is "gone". An operation out of turn is refused. */
inline apply(c, who, number_) {
  holder = first(me.queue);
  if
  :: number_ == 0 ->
    if
    :: holder == who + 1 -> holder = 0
    :: else
    fi;
    removeFrom(me.queue, who);
    removeFrom(me.members, who);
    setLast(me.last, who, 0)
  :: number_ > 0 && IN_TURN(c, who, number_) ->
    setLast(me.last, who, number_);
    if
    :: number_ == 1 -> append(me.members, who)
    :: number_ % 2 == 0 && STEALS(who, number_) ->
      if
      :: holder != 0 ->
        me.queue = me.queue >> 2;
        stolen = stolen | (1 << (holder - 1));
        if
        :: holder == c + 1 -> me.running = 0
        :: else
        fi;
        holder = 0
      :: else
      fi;
      me.queue = (me.queue << 2) | (who + 1)
    :: number_ % 2 == 0 && !STEALS(who, number_) -> append(me.queue, who)
    :: else ->
      if
      :: holder == who + 1 -> holder = 0
      :: else
      fi;
      removeFrom(me.queue, who)
    fi
  :: else
  fi;
  if
  :: first(me.queue) == c + 1 && holder != c + 1 && ACTS(c) -> enter(c)
  :: else
  fi
}

/* What a context has left to do; the join is its own step. */
#define MAY_REQUEST(c) (context[c].sent % 2 == 1 && context[c].sent < FINAL(c))
#define MAY_RELEASE(c) (context[c].sent % 2 == 0 && context[c].sent > 0 && context[c].granted && (context[c].running || has(stolen, c)))
#ifdef ABORTS
#define MAY_ABORT(c) (context[c].sent % 2 == 0 && context[c].sent > 0 && !context[c].granted)
#else
#define MAY_ABORT(c) false
#endif

/* The next operation is decided: from here on it is a fact that the lock is no longer used. */
inline decide(c) {
  me.sent++;
  if
  :: me.sent % 2 == 0 -> me.granted = 0
  :: else -> me.running = 0
  fi
}

#define PACKED(c) (context[c].queue | (context[c].members << 6) | (context[c].last << 12) | (1 << 21))
inline unpack(c, state_) {
  me.queue = (state_) & 63;
  me.members = ((state_) >> 6) & 63;
  me.last = ((state_) >> 12) & 511
}
