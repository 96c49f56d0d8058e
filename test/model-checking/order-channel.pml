/*
 * The order of the models of one order that is not kept: one sequence, read by each context at its own pace. What all listeners
 * have read is forgotten.
 */
#ifndef ANSWERS_AT_ONCE
#define ANSWERS_AT_ONCE 3 /* Answers need room even then. Otherwise contexts that must read would wait for those that have read. */
#endif
#define SLOTS (MESSAGES + ANSWERS_AT_ONCE)

typedef Message {
  mtype kind;
  byte from;
  byte log;
  byte client;  /* The receiver of a `state`, or the client that is gone. */
  byte number;  /* Of the client's operation, or of the hello: the nonce. */
  int content;  /* The state that it carries. */
  int after;    /* The state of the first replica that this was delivered to, at that moment. */
};
Message order[SLOTS];
byte posted;

hidden byte m;
hidden byte n;
hidden byte k;
hidden byte lowest;

#define message order[m]
#define room (posted < MESSAGES)

inline post(kind_, from_, log_, client_, number_, content_) {
  assert(posted < SLOTS);
  printf("%d posts %e: log %d, client %d, number %d\n", from_, kind_, log_, client_, number_);
  order[posted].kind = kind_;
  order[posted].from = from_;
  order[posted].log = log_;
  order[posted].client = client_;
  order[posted].number = number_;
  order[posted].content = content_;
  posted++
}

/* Bookkeeping of the model alone. */
inline trim() {
  lowest = posted;
  for (k : 0 .. CONTEXTS - 1) {
    if
    :: LISTENS(k) && context[k].at < lowest -> lowest = context[k].at
    :: else
    fi
  }
  if
  :: lowest > 0 ->
    for (k : 0 .. SLOTS - 1) {
      if
      :: k + lowest < posted ->
        order[k].kind = order[k + lowest].kind;
        order[k].from = order[k + lowest].from;
        order[k].log = order[k + lowest].log;
        order[k].client = order[k + lowest].client;
        order[k].number = order[k + lowest].number;
        order[k].content = order[k + lowest].content;
        order[k].after = order[k + lowest].after
      :: else ->
        order[k].kind = 0;
        order[k].from = 0;
        order[k].log = 0;
        order[k].client = 0;
        order[k].number = 0;
        order[k].content = 0;
        order[k].after = 0
      fi
    }
    for (k : 0 .. CONTEXTS - 1) {
      if
      :: LISTENS(k) -> context[k].at = context[k].at - lowest
      :: else -> context[k].at = 0
      fi
    }
    posted = posted - lowest
  :: else
  fi
}

/* S4: replicas are equal at equal places. */
inline compare(c) {
  claim(4, message.after == 0 || message.after == PACKED(c));
  message.after = PACKED(c)
}

/* One of the slots that a context has not read yet contains it. */
#if SLOTS > 8
#error ANY_SLOT looks into eight slots
#endif
#define SLOT_IN(c, slot, WHAT) ((slot) < SLOTS && (slot) >= context[c].at && (slot) < posted && WHAT(c, (slot) % SLOTS))
#define ANY_SLOT(c, WHAT) (SLOT_IN(c, 0, WHAT) || SLOT_IN(c, 1, WHAT) || SLOT_IN(c, 2, WHAT) || SLOT_IN(c, 3, WHAT) || \
  SLOT_IN(c, 4, WHAT) || SLOT_IN(c, 5, WHAT) || SLOT_IN(c, 6, WHAT) || SLOT_IN(c, 7, WHAT))
