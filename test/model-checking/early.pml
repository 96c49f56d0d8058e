/*
 * R21 by itself, as a model for spin: a context that has released locks enters what its own releases grant to its own next request,
 * before the log has delivered them. README.md says how to read it.
 *
 * The log is one sequence. Any operation of a client may be placed at any time, each client's in their order: joining, gaps and
 * repeated messages come to no more than that. Each context reads the log at its own pace. One name, exclusive, first come first served.
 * A client may wait several times. A thief waits for no other, and while its steal is on the way it enters nothing early.
 */
#ifndef CONTEXTS
#define CONTEXTS 3
#endif
#ifndef REQUESTS
#define REQUESTS 2 /* Of a client. It may make all of them at once. */
#endif
#ifndef PATIENT
#define PATIENT CONTEXTS /* So many clients make that many requests; the others make one. */
#endif
#ifndef THIEVES
#define THIEVES 0 /* The last requests of so many clients steal. */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif

#define ALL (CONTEXTS * REQUESTS)
#define LENGTH (2 * ALL + CRASHES)
#define OWNER(request) ((request) / REQUESTS)
#define FIRST(c) ((c) * REQUESTS)
#define MAKES(c) ((c) < PATIENT -> REQUESTS : 1)
#define STEALS(request) (OWNER(request) < THIEVES && (request) % REQUESTS == MAKES(OWNER(request)) - 1)

/* The outcome of a request, as its own context knows it. */
#define NOT_MADE 0
#define OPEN 1
#define ENTERED 2
#define RELEASED 3
#define BROKEN 4

#include "claim.pml"

/* An entry, or an operation that waits for its place: a request (1 + number), its drop (as much and ALL), a death (and twice ALL). */
#define REQUEST(request) (1 + (request))
#define DROP(request) (1 + ALL + (request))
#define GONE(c) (1 + 2 * ALL + (c))

byte log[LENGTH];
byte length;
byte placeOf[ALL];   /* The place of its entry; 0: it has none. */
bit stolen[ALL];     /* An entry has broken it, wherever that has been read by now. */

typedef Context {
  byte at;             /* How much of the log it has read. */
  byte queue[ALL];     /* The replica: requests (number + 1) in line; the first one holds. */
  byte done[2 * REQUESTS]; /* What its client has done, in order. */
  byte count;
  byte placed;         /* How many of these have places. */
  bit dead;
  bit gone;            /* Its death has a place. */
  bit chance;          /* It has released or read something since its last check of what is next. */
};
Context context[CONTEXTS];
byte status[ALL];
bit granted[ALL];      /* Its own context has read the entry that grants it. */
byte crashes;
bit thefts;            /* There has been one: it may have broken the lock of a client that has not been told yet that it held it. */

hidden byte i;
hidden byte j;
hidden byte entry;
hidden byte request;
hidden byte before;

#define me context[c]

inline do_(c, what) {
  me.done[me.count] = what;
  me.count++
}

/* Takes the entry at [i] out of the line. */
inline takeOut(c) {
  j = i;
  do
  :: j == ALL - 1 -> me.queue[j] = 0; break
  :: else -> me.queue[j] = me.queue[j + 1]; j++
  od
}

/* Its callback begins: S1, S2; 3: in the order of the log. If an unread entry breaks a lock, its client counts as a victim. */
inline enter(c, which) {
  printf("%d enters %d\n", c, which);
  claim(2, status[which] == OPEN);
  for (i : 0 .. length - 1) {
    if
    :: i >= me.at && log[i] <= ALL && STEALS(log[i] - 1) && log[i] - 1 != which -> stolen[which] = 1
    :: else
    fi
  }
  for (i : 0 .. ALL - 1) {
    claim(1, i == which || status[i] != ENTERED || context[OWNER(i)].dead || stolen[i] || stolen[which]);
    claim(3, i == which || status[i] != OPEN || context[OWNER(i)].dead || placeOf[i] == 0 || placeOf[i] > placeOf[which] ||
      thefts)
  }
  status[which] = ENTERED
}

/* It is told that it has lost what it has entered. This is dropped wherever it may be. */
inline lose(c, which) {
  printf("%d is told that %d is stolen\n", c, which);
  status[which] = BROKEN;
  do_(c, DROP(which))
}

inline read(c) {
  entry = log[me.at];
  me.at++;
  before = me.queue[0];
  printf("%d reads %d\n", c, entry);
  if
  :: entry <= ALL ->
    request = entry - 1;
    if
    :: STEALS(request) ->
      if
      :: before != 0 && OWNER(before - 1) == c && status[before - 1] == ENTERED -> status[before - 1] = BROKEN
      :: else
      fi;
      me.queue[0] = entry;
      before = 0;
#ifndef KEEPS_WHAT_IS_STOLEN
      for (i : FIRST(c) .. FIRST(c) + REQUESTS - 1) {
        if
        :: i != request && status[i] == ENTERED && !granted[i] -> claim(5, OWNER(request) != c); lose(c, i)
        :: else
        fi
      }
#endif
    :: else ->
      i = 0;
      do
      :: me.queue[i] == 0 -> break
      :: else -> i++
      od;
      me.queue[i] = entry
    fi
  :: entry > ALL && entry <= 2 * ALL ->
    for (i : 0 .. ALL - 1) {
      if
      :: me.queue[i] == entry - ALL -> takeOut(c)
      :: else
      fi
    }
  :: else ->
    i = 0;
    do
    :: i == ALL || me.queue[i] == 0 -> break
    :: i < ALL && me.queue[i] != 0 && OWNER(me.queue[i] - 1) == entry - 1 - 2 * ALL -> takeOut(c)
    :: else -> i++
    od
  fi;
  if
  :: me.queue[0] != 0 && me.queue[0] != before && OWNER(me.queue[0] - 1) == c ->
    request = me.queue[0] - 1;
    granted[request] = 1;
    if
    :: status[request] == OPEN -> enter(c, request)
    :: else
    fi
  :: else
  fi;
  /* No client is inside any more if all that it has read has broken its lock. */
  for (i : FIRST(c) .. FIRST(c) + REQUESTS - 1) {
    claim(1, status[i] != ENTERED || !stolen[i] || me.at < length)
  }
}

/* It has a place, after its client's earlier ones. */
inline place(c) {
  log[length] = me.done[me.placed];
  me.placed++;
  length++;
  printf("%d is placed\n", log[length - 1]);
  if
  :: log[length - 1] <= ALL ->
    placeOf[log[length - 1] - 1] = length;
    if
    :: STEALS(log[length - 1] - 1) ->
      thefts = 1;
      for (i : 0 .. ALL - 1) {
        if
        :: status[i] == ENTERED && i != log[length - 1] - 1 -> stolen[i] = 1
        :: else
        fi
      }
    :: else
    fi
  :: else
  fi
}

/* The request that is next behind this context's own releases; in [request], or ALL. */
inline findNext(c) {
  i = 0;
  do
  :: i < ALL && me.queue[i] != 0 && status[me.queue[i] - 1] == RELEASED && OWNER(me.queue[i] - 1) == c -> i++
#ifdef EARLY_OUT_OF_TURN
  :: i < ALL - 1 && me.queue[i] != 0 && me.queue[i + 1] != 0 -> i++; break
#endif
  :: else -> break
  od;
  request = (i < ALL && me.queue[i] != 0 -> me.queue[i] - 1 : ALL);
#ifndef OWN_STEAL_FORGOTTEN
  for (j : FIRST(c) .. FIRST(c) + REQUESTS - 1) {
    if
    :: STEALS(j) && status[j] == OPEN -> request = ALL
    :: else
    fi
  }
#endif
#ifdef EARLY_WITHOUT_A_PLACE
  /* Its own, requested, and with no other client's request before it as far as it knows. */
  if
  :: request == ALL && i > 0 ->
    for (j : FIRST(c) .. FIRST(c) + REQUESTS - 1) {
      if
      :: status[j] == OPEN && request == ALL -> request = j
      :: else
      fi
    }
  :: else
  fi
#endif
}

inline release(c, which) {
  status[which] = RELEASED;
  do_(c, DROP(which));
  me.chance = 1;
  printf("%d releases %d\n", c, which)
}

active [CONTEXTS] proctype client() {
  byte c = _pid;
  byte n = 0; /* Requests made. */
end:
  do
  :: d_step { !me.dead && n < MAKES(c) -> status[FIRST(c) + n] = OPEN; do_(c, REQUEST(FIRST(c) + n)); n++ }
  :: d_step { !me.dead && me.at < length -> read(c); me.chance = 1 }
  :: d_step { me.placed < me.count -> place(c) }
  :: d_step { !me.dead && status[FIRST(c)] == ENTERED -> release(c, FIRST(c)) }
#if REQUESTS > 1
  :: d_step { !me.dead && status[FIRST(c) + 1] == ENTERED -> release(c, FIRST(c) + 1) }
#endif
#if REQUESTS > 2
  :: d_step { !me.dead && status[FIRST(c) + 2] == ENTERED -> release(c, FIRST(c) + 2) }
#endif
  /* Early: in the same task, or later. */
  :: d_step {
      !me.dead && me.chance ->
      me.chance = 0;
      findNext(c);
      if
      :: request < ALL && OWNER(request) == c && status[request] == OPEN && !STEALS(request) -> enter(c, request)
      :: else
      fi
    }
  :: d_step {
      !me.dead && crashes < CRASHES ->
      crashes++;
      me.dead = 1;
      printf("%d dies\n", c)
    }
  :: d_step { me.dead && !me.gone -> me.gone = 1; me.placed = me.count; log[length] = GONE(c); length++ }
  od
}

/* Nothing is left to do: each living client has read everything, and has had its turn. */
active proctype end_() {
end:
  do
  :: timeout ->
    d_step {
      for (j : 0 .. CONTEXTS - 1) {
        claim(6, context[j].dead || (context[j].queue[0] == 0 && context[j].at == length))
      }
      for (j : 0 .. ALL - 1) {
        claim(6, context[OWNER(j)].dead || status[j] > ENTERED || j % REQUESTS >= MAKES(OWNER(j)))
      }
    };
    break
  od
}
