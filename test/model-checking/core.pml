/*
 * What both models share: the core (one name, exclusive, first come first served), its client, and the claims S1 to S4.
 * A context has fields seq, queue, members, last (its replica) and sent, running, granted (its client).
 */

#define has(set, who) (((set) >> (who)) & 1)
#define lastOf(numbers, who) (((numbers) >> (3 * (who))) & 7)
#define setLast(numbers, who, to) numbers = (numbers & ~(7 << (3 * (who)))) | ((to) << (3 * (who)))
#define holder(queue) ((queue) & 3)
#define me context[c]

#ifndef REQUESTERS
#define REQUESTERS 7 /* Which clients make requests, a set; the others only join. */
#endif

/* The number of a client's last operation: 1 joins, even ones request, odd ones drop. */
#define FINAL(c) (((REQUESTERS >> (c)) & 1) * 2 * REQUESTS + 1)

byte dead;    /* A set. */
byte crashes;
byte lastFence; /* The place of the latest grant that was entered. */

hidden byte i;
hidden byte before;
hidden byte rest;

#include "claim.pml"

/* Its latest request has been entered before this entry grants it. */
#ifdef EARLY
#define ENTERED(c) (ACTED(c) || me.early != 0 && me.early == lastOf(me.last, c))
#else
#define ENTERED(c) ACTED(c)
#endif

/* Removes [who] from a queue. */
inline removeFrom(queue_, who) {
  rest = queue_;
  queue_ = 0;
  i = 0;
  do
  :: rest == 0 -> break
  :: else ->
    if
    :: (rest & 3) != (who) + 1 -> queue_ = queue_ | ((rest & 3) << i); i = i + 2
    :: else
    fi;
    rest = rest >> 2
  od
}

inline appendTo(queue_, who) {
  i = 0;
  do
  :: (queue_ >> i) == 0 -> break
  :: else -> i = i + 2
  od;
  assert(i < 8);
  queue_ = queue_ | (((who) + 1) << i)
}

/* The callback of the context's own open request is entered: S1, S2, S3. */
inline enter(c, fence) {
  claim(2, lastOf(me.last, c) % 2 == 0); /* Not after its drop. */
  if
  :: me.sent % 2 == 0 && lastOf(me.last, c) == me.sent -> /* Not dropped by itself meanwhile (R5). */
    claim(2, !me.granted); /* Once. */
    me.granted = 1;
    for (i : 0 .. CONTEXTS - 1) {
      claim(1, i == c || has(dead, i) || !context[i].running)
    }
    claim(3, fence > lastFence);
    printf("%d enters its callback, fence %d\n", c, fence);
    lastFence = fence;
    me.running = 1
  :: else
  fi
}

#define IN_TURN(c, who, number) ((number) == lastOf(me.last, who) + 1 && ((number) == 1 || has(me.members, who)))

/* The core: operation [number_] of [who] is applied to this context's replica. */
inline apply(c, who, number_) {
  before = holder(me.queue);
  me.seq++;
  if
  :: number_ == 0 ->
    if
    :: before == who + 1 -> before = 0
    :: else
    fi;
    removeFrom(me.queue, who);
    me.members = me.members & ~(1 << who)
#ifdef NO_DEDUPE
  :: number_ > 0 ->
#else
  :: number_ > 0 && !IN_TURN(c, who, number_) -> claim(2, false) /* Placed twice, or out of its client's order: the core refuses it. */
  :: number_ > 0 && IN_TURN(c, who, number_) ->
    claim(2, number_ != 1 || REGISTERED_ONCE(who)); /* R3: who joins has a record, or has died since. */
#endif
    setLast(me.last, who, number_);
    if
    :: number_ == 1 -> me.members = me.members | (1 << who)
    :: number_ > 1 && number_ % 2 == 0 -> appendTo(me.queue, who)
    :: else ->
      if
      :: before == who + 1 ->
        /* Only this request ends; a second one of the same client, were there one, would stay. */
        me.queue = me.queue >> 2;
        before = 0
      :: else -> removeFrom(me.queue, who)
      fi
    fi
  fi;
  for (i : 0 .. CONTEXTS - 1) {
    claim(4, i == c || !SAME_LOG(c, i) || context[i].seq != me.seq ||
      (context[i].queue == me.queue && context[i].members == me.members && context[i].last == me.last))
  }
  if
  :: holder(me.queue) == c + 1 && before != c + 1 && !(ENTERED(c)) -> enter(c, FENCE(c))
  :: else
  fi
}

