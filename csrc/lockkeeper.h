/*
 * Lockkeeper's lock manager: a deterministic state machine over a log of operations.
 *
 * A value in, events out. lk_apply() takes one operation and leaves the events that it caused in a buffer for the host to read.
 * The core calls nobody but the allocator that it was given; it has no clock, no randomness, no I/O and no global state. Two
 * managers that were given the same operations in the same order are equal, byte for byte, in their snapshots.
 *
 *     #include <lockkeeper.h>
 *     #include <stdlib.h>
 *     static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size) {
 *       return (void)user, (void)old_size, new_size ? realloc(memory, new_size) : (free(memory), (void *)NULL);
 *     }
 *     int main(void) {
 *       const lk_host host = {reallocate, NULL, 0};
 *       const uint16_t tab[] = {3, 0, 't', 'a', 'b'}, disk[] = {4, 0, 'd', 'i', 's', 'k'};
 *       lk_operation join = {.type = LK_JOIN, .number = 1, .name_count = 1, .names_length = 5, .names = tab};
 *       lk_operation ask = {.type = LK_REQUEST, .client = 1, .number = 2, .hold = 500, .name_count = 1, .names_length = 6, .names = disk};
 *       lk_manager *manager;
 *       size_t count;
 *       if (lk_create(&host, 0, &manager) || lk_apply(manager, &join) || lk_apply(manager, &ask)) return 1;
 *       return lk_events(manager, &count)->type == LK_GRANTED ? 0 : 1; // lk_destroy(manager) frees all.
 *     }
 *
 * Words. A *client* is a member of the log: a tab, a frame, a worker, a thread. A *request* asks for a set of *names* (the
 * standard's one name is a set of one) in a *mode*. It is *pending* until it is *granted*; then it is *held*. It ends by being
 * removed (released or aborted: one operation, "drop"; or its client gone), broken (stolen, forced), expired (a deadline) or,
 * if it would not wait, by being unavailable.
 *
 * The granting rule. Each request has a limit: how many may hold a name together with it, itself included. It is 1 for an
 * exclusive request, none for a shared one, and a shared request may bring a lower one: so n requests with the limit n make a
 * semaphore. Requests agree under a name when they have the same limit, and are no more than that. A request is granted as soon
 * as it agrees, under each of its names, with all that is held and all that was asked for before it. Nobody overtakes. A request
 * with another limit than those before it waits until they have ended.
 *
 * Numbers. Whatever JavaScript must be able to hold is a double with a whole value from 0 to 2^53 - 1 (LK_NUMBER_MAX).
 * Durations and times too: they are whole milliseconds of log time, which starts at 0 and moves by LK_TICK alone; durations may
 * also be LK_FOREVER. What is due at a time expires as soon as log time is there; so what has no time left expires at once.
 *
 * Handles. A client's handle is given by its join, from 1 on, and never given again in the same log; a request is named by its client's
 * handle and the number of the operation that made it. So a stale handle finds nothing; it can never find another's lock.
 *
 * Limits. 2^32 - 1 handles in a log, 2^53 - 1 fences and operations of a client, 2^32 - 1 code units of a name or of all names of
 * an operation; else memory alone.
 *
 * Cost. To make a request, to grant it and to end it takes time in proportion to its names (hashed: also to their code units), and
 * to the logarithm of the deadlines where it has one. lk_apply() takes that for the requests that it makes, grants and ends, and as
 * much for its own names, however many others there are; amortised, since tables grow and shrink, and expected, since they hash. One
 * exception: a request of several names that waits only for a name that was stolen while it waited is looked at again when that name is
 * released, in time proportional to its names and to the logarithm of how many such requests there are. To make a snapshot, or a manager
 * from it, and to end a manager takes time in proportion to what it has; lk_is_undisputed() in proportion to the request's names, and
 * lk_use_by_others() to its names and the client's own requests for them. All else takes the same time always.
 *
 * Threads. One manager must not be used by two threads at once, not even to read. Different managers share nothing.
 *
 * Failures. Every failure is a negative lk_status, and the state is then exactly what it was before the call.
 *
 * Machines. Little-endian, IEEE doubles (no -ffast-math). GCC or Clang compiles the core, as C11. This header is for any C99 or C++. Of a
 * library the core wants memcpy(), memset() and memcmp() alone.
 */
#ifndef LOCKKEEPER_H
#define LOCKKEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "infinity and the sign of zero count"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The package's version. */
#define LK_VERSION "0.2.0"
/* The greatest number that operations and events may carry. */
#define LK_NUMBER_MAX 9007199254740991.0
/* A duration without an end: IEEE infinity. */
#ifdef __GNUC__
#define LK_FOREVER __builtin_inf() /* A constant expression in C++ too. */
#else
#define LK_FOREVER ((double)(1e300 * 1e300))
#endif

/* What a call returns. Negative: nothing was changed. glue/core/constants.js is generated from these lines. */
typedef enum lk_status {
  LK_OK = 0,              /* Done. */
  LK_STALE = 1,           /* Done and counted, but the request to be dropped had ended before. */
  LK_REFUSED = 2,         /* Counted, but malformed: nothing else was done. See lk_operation for what each type demands. */
  LK_NO_FENCE = 3,        /* Counted, but nothing else was done: no fence up to LK_NUMBER_MAX would be left for the request. */
  LK_OUT_OF_MEMORY = -1,  /* The allocator returned NULL. */
  LK_INVALID = -2,        /* Malformed, and no operation of a member's that could be counted. */
  LK_UNKNOWN_CLIENT = -3, /* No member has this handle. */
  LK_DUPLICATE = -4,      /* The operation's number is not above the client's last one, or the client has joined before. */
  LK_GAP = -5,            /* The operation's number is above the client's last one plus one. */
  LK_BAD_SNAPSHOT = -6,   /* The bytes are not a snapshot of a sound state. */
  LK_NO_HANDLE = -7       /* All handles have been given. */
} lk_status;

/* "ok", "out-of-memory" and so on; NULL where [status] is none. */
const char *lk_status_name(int status);

/* What an operation does. */
typedef enum lk_operation_type {
  LK_REQUEST = 1,       /* Ask for a lock. */
  LK_DROP = 2,          /* End one's own request, whatever state it is in: release and abort are one. */
  LK_FORCE_RELEASE = 3, /* Break every held lock that has one of the names. Pending requests stay. */
  LK_JOIN = 4,          /* Become a member. */
  LK_GONE = 5,          /* A client has died: all that it holds and asks for goes first, then the queues move. */
  LK_TICK = 6           /* Log time moves on; what is due expires. */
} lk_operation_type;

typedef enum lk_mode { LK_EXCLUSIVE = 0, LK_SHARED = 1 } lk_mode;

/* Flags of a request. */
enum {
  LK_IF_AVAILABLE = 1, /* Do not wait: what cannot be granted at once ends as unavailable. */
  LK_STEAL = 2         /* Break what is held under the names and be granted at once. Exclusive only, and not with LK_IF_AVAILABLE. */
};

/*
 * One operation. Which fields count for which [type]; the others are ignored:
 *
 *   LK_REQUEST        client number mode limit flags wait hold names
 *   LK_DROP           client number request
 *   LK_FORCE_RELEASE  client number names
 *   LK_JOIN                  number names (one name: the client's id, not empty)
 *   LK_GONE           client
 *   LK_TICK           now
 *
 * [number] counts the client's operations: its join brings the first, from 1 on, each later one must be the last plus one.
 * [limit] is 0 for none (2^32 - 1, which nobody reaches, is none too); an exclusive request has none.
 * [wait] is how long the request may stay pending, [hold] how long it may be held; 0 or more, or LK_FOREVER. With [wait] 0 it is
 * granted at once or expires at once; with [hold] 0 it expires when it has been granted. Neither may end after LK_NUMBER_MAX,
 * counted from the present.
 * [now] is the new log time; one that is not above the present changes nothing.
 * [names] are [name_count] names without duplicates, one after the other, [names_length] code units in all: each is two units
 * of length (low, high) and then so many UTF-16 code units, of any value. An empty name is a name. They are copied.
 *
 * What is wrong is looked for in this order: the type, the client, the number (LK_INVALID, LK_DUPLICATE, LK_GAP). What is wrong
 * beyond that uses up the number, so that the client's next operation is no gap: LK_REFUSED, or else LK_NO_FENCE.
 */
typedef struct lk_operation {
  uint32_t type;
  uint32_t client;
  double number;
  double request;
  double wait;
  double hold;
  double now;
  uint32_t mode;
  uint32_t limit;
  uint32_t flags;
  uint32_t name_count;
  uint32_t names_length;
  const uint16_t *names;
} lk_operation;

/* What an operation caused. */
typedef enum lk_event_type {
  LK_GRANTED = 1,     /* The request is held from now on; [fence] is its fence. */
  LK_UNAVAILABLE = 2, /* An LK_IF_AVAILABLE request could not be granted, and has ended. */
  LK_BROKEN = 3,      /* A held lock was stolen or forced. */
  LK_REMOVED = 4,     /* The request was dropped, or its client has gone. */
  LK_EXPIRED = 5,     /* A deadline: of waiting if it was pending, of holding if it was held. */
  LK_JOINED = 6       /* [client] is the new member's handle; [number] that of the join. */
} lk_event_type;

/* [fence] grows with every grant in the manager, so with every grant of a name; 0 where [type] is not LK_GRANTED. */
typedef struct lk_event {
  uint32_t type;
  uint32_t client;
  double number;
  double fence;
} lk_event;

/*
 * What the host gives. All memory comes from [reallocate], called as reallocate(user, memory, old_size, new_size):
 * [memory] NULL allocates, [new_size] 0 frees and returns NULL, else the block is resized, its content kept. It may return NULL
 * for want of memory, and then has changed nothing. Blocks must be aligned for a double. The core as it is never resizes.
 *
 * [seed] keys the hash tables: where names or clients come from strangers, choose it at random and keep it to yourself, so that
 * nobody can make them collide. No state, no snapshot, no lk_hash() and no order depends on it.
 */
typedef struct lk_host {
  void *(*reallocate)(void *user, void *memory, size_t old_size, size_t new_size);
  void *user;
  uint32_t seed;
} lk_host;

typedef struct lk_manager lk_manager;

/*
 * Makes an empty manager and stores it in [*manager]; the caller owns it and ends it with lk_destroy(). [host] is copied; its
 * [user] must outlive the manager. Fences start above [fence]: a log that follows an earlier one passes a number above the other's
 * fences. Returns LK_OK, LK_OUT_OF_MEMORY, or LK_INVALID where [fence] is not a number from 0 to LK_NUMBER_MAX; then [*manager]
 * is NULL.
 */
int lk_create(const lk_host *host, double fence, lk_manager **manager);

/* Frees [manager] and all that belongs to it, events included. NULL is allowed. */
void lk_destroy(lk_manager *manager);

/*
 * Applies [operation], which stays the caller's. The events of the call before are gone; lk_events() has those of this one.
 * Returns LK_OK; of what a client numbers also LK_STALE (LK_DROP alone), LK_REFUSED or LK_NO_FENCE (LK_REQUEST alone); or
 * LK_OUT_OF_MEMORY, LK_INVALID, LK_UNKNOWN_CLIENT, LK_DUPLICATE, LK_GAP or LK_NO_HANDLE (LK_JOIN alone).
 * After a negative code the manager is unchanged and there are no events; nor are there any where the operation only was counted.
 *
 * The order of events: what ends by the operation, then a steal's own grant, then the grants that this made possible: name by
 * name, in the order in which the names were touched, and in the order of arrival within one. By LK_GONE the held locks end in
 * the order of their grants, then the pending requests in the order of their arrival; by a steal and LK_FORCE_RELEASE the held
 * locks end name by name, in the order of their grants within one. A name is touched when a request that has it ends, in the
 * order of the request's names. Then what is due expires and does the same, one request after the other, in the order of
 * (deadline, client, number).
 */
int lk_apply(lk_manager *manager, const lk_operation *operation);

/* The events of the last lk_apply(), in order; [count] receives how many. They belong to the manager, until its next call. */
const lk_event *lk_events(const lk_manager *manager, size_t *count);

/* The log time, in milliseconds. */
double lk_time(const lk_manager *manager);
/* When the next deadline is due, in log time, or LK_FOREVER. */
double lk_next_deadline(const lk_manager *manager);
/* The number of the last operation of [client], a member's handle; -1 where it is none. */
double lk_last_number(const lk_manager *manager, uint32_t client);
/* How many requests are held and pending. */
size_t lk_request_count(const lk_manager *manager);
/* Whether the request that [client], a member's handle, made with its operation [number] is held, and nobody waits for any of its names. */
bool lk_is_undisputed(const lk_manager *manager, uint32_t client, double number);

/* What others do with names: from little to much. glue/core/constants.js is generated from these lines. */
typedef enum lk_use {
  LK_UNUSED = 0,  /* Nobody else has one of them. */
  LK_AWAITED = 1, /* Others wait for one of them, and hold none. */
  LK_HELD = 2     /* Others hold one of them. */
} lk_use;

/*
 * What clients other than [client] do with names. [names] and [names_length] as in an operation; they stay the caller's. What is malformed
 * there, and what follows it, is not looked at.
 */
lk_use lk_use_by_others(const lk_manager *manager, uint32_t client, const uint16_t *names, uint32_t names_length);

/* The last fence given; or, where none was given yet, the number that fences start above. */
double lk_fence(const lk_manager *manager);

/*
 * Fences go on above [fence], if they are not above it yet. A log that goes on where others may have had grants meanwhile passes a
 * number above theirs; all its replicas pass the same one at the same place. Returns LK_OK, or LK_INVALID where [fence] is not a number
 * from 0 to LK_NUMBER_MAX, or fewer fences would be left than there are requests. Needs no memory, and leaves the events as they are.
 */
int lk_raise_fence(lk_manager *manager, double fence);

/* The members in the order of joining: the handle of the one after [previous], a member's handle, or 0 for the first; 0 after the last. */
uint32_t lk_next_client(const lk_manager *manager, uint32_t previous);

/*
 * The request after [previous], or the first one for NULL; NULL after the last. The held ones come in the order of their grants, then the
 * pending ones in the order of arrival. They belong to the manager, until its next lk_apply().
 */
typedef struct lk_request lk_request;
const lk_request *lk_next_request(const lk_manager *manager, const lk_request *previous);

/* What there is to know of a request, but its names. The fields are those of its operation, if nothing is said. */
typedef struct lk_request_state {
  uint32_t client;
  uint32_t mode;
  uint32_t limit;
  uint32_t name_count;
  double number;
  double fence;    /* 0 while it is pending. */
  double deadline; /* In log time, when it expires: as a pending one while it is pending, or as a held one; or LK_FOREVER. */
  double hold;
} lk_request_state;
lk_request_state lk_describe_request(const lk_request *request);

/*
 * Copies the code units of the request's name at [place], counted from 0 and below its [name_count], and returns how many it has; where
 * that is more than [capacity], nothing is copied.
 */
uint32_t lk_request_name(const lk_request *request, uint32_t place, uint16_t *units, uint32_t capacity);

/* The same for the id of [client], a member's handle; 0 where it is none. After lk_restore() this tells whose handles they are. */
uint32_t lk_client_id(const lk_manager *manager, uint32_t client, uint16_t *units, uint32_t capacity);

/*
 * A hash of the state: of all that a snapshot has. Kept up to date, so free to ask. Equal states have equal hashes; replicas that
 * differ have a bug.
 */
uint32_t lk_hash(const lk_manager *manager);

/*
 * Writes the whole state to [bytes], at most [capacity] bytes, and returns how many it takes; where that is more than
 * [capacity], nothing is written. NULL with 0 asks for the size. Equal states give equal bytes. Little-endian, unaligned:
 *
 *   u32 LK_SNAPSHOT_FORMAT, u32 count of members, f64 time, f64 last fence, u32 last client handle, u32 count of names,
 *     u32 count of held requests, u32 count of pending requests
 *   the members, in the order of joining, each: f64 last number, u32 client, name (its id)
 *   the names, in the order in which the requests below have them: each once
 *   the held requests, in the order of their grants, then the pending ones, in the order of arrival, each:
 *     f64 number, f64 fence (0 if pending), f64 deadline (of what it is in; or LK_FOREVER), f64 hold, u32 client, u32 mode,
 *     u32 limit, u32 count of names, each: u32 its place among the names above, from 0
 *   name: u32 length, u16 code units
 *
 * A snapshot takes less than the manager itself, so its size fits a size_t.
 */
size_t lk_snapshot(const lk_manager *manager, uint8_t *bytes, size_t capacity);

#define LK_SNAPSHOT_FORMAT 0x32534b4cu /* "LKS2" */

/*
 * Makes a manager from a snapshot and stores it in [*manager]; the caller owns it. [bytes] stay the caller's, and may be
 * anything: what is no sound state (truncated, incompatible locks held, a grantable request pending) is refused. The order of
 * the requests is not checked: a lock may be held that would have had to wait. Returns LK_OK, LK_OUT_OF_MEMORY or LK_BAD_SNAPSHOT;
 * then [*manager] is NULL.
 */
int lk_restore(const lk_host *host, const uint8_t *bytes, size_t size, lk_manager **manager);

#ifdef __cplusplus
}
#endif

#endif
