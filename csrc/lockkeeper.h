/*
 * Lockkeeper's lock manager: a deterministic state machine over a log of operations.
 *
 * An operation in, events out. lk_apply() takes one operation and leaves its events in a buffer for the host to read. The core calls only
 * the host's allocator. It has no clock, no randomness, no I/O and no global state. Two managers that apply the same operations in the same
 * order have the same snapshots, byte for byte.
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
 * Words. A *client* is a member of the log: a tab, a frame, a worker, a thread. A *request* asks for a set of *names* (the standard's one
 * name is a set of one) in a *mode*. It is *pending* until it is *granted*; then it is *held*. It ends when it is removed (released or
 * aborted, which is one operation, "drop"; or its client is gone), broken (stolen or force-released) or expired (a deadline), or is
 * unavailable, if it does not wait.
 *
 * The granting rule. Each request has a limit: how many requests may hold a name at once, itself included. It is 1 for an exclusive request
 * and none for a shared one. A shared request may set a limit, so requests with the limit n make a semaphore of n. Requests for a name
 * agree if they have the same limit, and are no more than that. A request is granted as soon as it agrees, for each of its names, with all
 * held requests and all earlier ones. Nobody overtakes. A request whose limit differs from that of those before it waits until they have
 * ended.
 *
 * Numbers. Values that JavaScript must be able to represent are doubles with whole values from 0 to 2^53 - 1 (LK_NUMBER_MAX). So are
 * durations and times: whole milliseconds of log time, which starts at 0 and moves only by LK_TICK. Durations may also be LK_FOREVER. A
 * request expires as soon as log time reaches its deadline, so without any time left it expires at once.
 *
 * Handles. A join assigns the client's handle, from 1 on. A handle is never reused in the same log. A request is identified by its client's
 * handle and the number of its own operation. So a stale handle finds nothing, and never another client's lock.
 *
 * Limits. 2^32 - 1 handles in a log, 2^53 - 1 fences and operations of a client, 2^32 - 1 code units of a name or of all names of an
 * operation. Otherwise only memory limits.
 *
 * Cost. Making, granting and ending a request takes time proportional to its names (and, for hashing, their code units) and, with a
 * deadline, to the logarithm of the number of deadlines. lk_apply() takes that for each request that it makes, grants and ends, and as much
 * for its own names, however many other requests there are. These times are amortised, since tables resize, and expected, since they hash.
 * One exception: a request of several names may wait for a name that was stolen meanwhile. When that lock ends, the request is examined
 * again. That takes time proportional to its names and to the logarithm of the number of such requests. A snapshot, its restoration, and
 * the end of a manager take time proportional to the manager's content. lk_is_undisputed() takes time proportional to the request's names,
 * lk_use_by_others() to its names and the client's own requests for them, and lk_request_name() and lk_client_id() to the code units that
 * they copy. Everything else takes constant time.
 *
 * Threads. Two threads must not use one manager at once, not even to read. Different managers share nothing.
 *
 * Failures. Every failure is a negative lk_status, and leaves the state exactly as it was before the call.
 *
 * Machines. Little-endian, IEEE doubles (no -ffast-math). GCC or Clang compiles the core, as C11. This header is for any C99 or C++. The
 * core needs only memcpy(), memset() and memcmp() from a library.
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

/* The result of a call. Negative: nothing was changed. glue/core/constants.js is generated from these lines. */
typedef enum lk_status {
  LK_OK = 0,              /* Done. */
  LK_STALE = 1,           /* Done and counted, but the request to be dropped had already ended. */
  LK_REFUSED = 2,         /* Counted, but malformed: nothing else was done. See lk_operation for the requirements of each type. */
  LK_NO_FENCE = 3,        /* Counted, but nothing else was done: no fence up to LK_NUMBER_MAX would be left for the request. */
  LK_OUT_OF_MEMORY = -1,  /* The allocator returned NULL. */
  LK_INVALID = -2,        /* Malformed, and not a member's operation that could be counted. */
  LK_UNKNOWN_CLIENT = -3, /* No member has this handle. */
  LK_DUPLICATE = -4,      /* The operation's number is not above the client's last one, or the client has already joined. */
  LK_GAP = -5,            /* The operation's number is above the client's last one plus one. */
  LK_BAD_SNAPSHOT = -6,   /* The bytes are not a snapshot of a sound state. */
  LK_NO_HANDLE = -7       /* All handles have been given. */
} lk_status;

/* "ok", "out-of-memory" and so on; NULL if [status] is none of these. */
const char *lk_status_name(int status);

/* What an operation does. */
typedef enum lk_operation_type {
  LK_REQUEST = 1,       /* Ask for a lock. */
  LK_DROP = 2,          /* End an own request in any state: release and abort are one. */
  LK_FORCE_RELEASE = 3, /* Break every held lock that has one of the names. Pending requests stay. */
  LK_JOIN = 4,          /* Become a member. */
  LK_GONE = 5,          /* A client has died: first all its requests end, then the queues move. */
  LK_TICK = 6           /* Log time moves on; requests that are due expire. */
} lk_operation_type;

typedef enum lk_mode { LK_EXCLUSIVE = 0, LK_SHARED = 1 } lk_mode;

/* Flags of a request. */
enum {
  LK_IF_AVAILABLE = 1, /* Do not wait: a request that cannot be granted at once ends as unavailable. */
  LK_STEAL = 2         /* Break all held locks on the names and be granted at once. Exclusive only, and not with LK_IF_AVAILABLE. */
};

/*
 * One operation. These fields count for each [type]; the others are ignored:
 *
 *   LK_REQUEST        client number mode limit flags wait hold names
 *   LK_DROP           client number request
 *   LK_FORCE_RELEASE  client number names
 *   LK_JOIN                  number names (one name: the client's id, not empty)
 *   LK_GONE           client
 *   LK_TICK           now
 *
 * [number] counts the client's operations: its join has the first one, 1 or more, and each later one is the last plus one.
 * [limit] is 0 for none (2^32 - 1, which no number of requests reaches, means none too); an exclusive request has none.
 * [wait] is how long the request may stay pending, [hold] how long it may be held; 0 or more, or LK_FOREVER. With [wait] 0 it is
 * granted at once or expires at once; with [hold] 0 it expires right after its grant. Counted from now, neither may end after
 * LK_NUMBER_MAX.
 * [now] is the new log time; if it is not above the current one, it changes nothing.
 * [names] are [name_count] names without duplicates, one after the other, [names_length] code units in all. Each is two units
 * of length (low, high) and then that many UTF-16 code units, of any value. An empty name is a name. They are copied.
 *
 * Errors are checked in this order: the type, the client, the number (LK_INVALID, LK_DUPLICATE, LK_GAP). Any further error uses
 * up the number, so that the client's next operation is no gap: LK_REFUSED, or else LK_NO_FENCE.
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

/* The events that an operation can cause. */
typedef enum lk_event_type {
  LK_GRANTED = 1,     /* The request is held from now on; [fence] is its fence. */
  LK_UNAVAILABLE = 2, /* An LK_IF_AVAILABLE request could not be granted, and has ended. */
  LK_BROKEN = 3,      /* A held lock was stolen or force-released. */
  LK_REMOVED = 4,     /* The request was dropped, or its client has gone. */
  LK_EXPIRED = 5,     /* A deadline has passed: of waiting if pending, of holding if held. */
  LK_JOINED = 6       /* [client] is the new member's handle, [number] the number of its join. */
} lk_event_type;

/* [fence] grows with every grant in the manager, and so with every grant of a name; 0 if [type] is not LK_GRANTED. */
typedef struct lk_event {
  uint32_t type;
  uint32_t client;
  double number;
  double fence;
} lk_event;

/*
 * What the host provides. All memory comes from [reallocate], called as reallocate(user, memory, old_size, new_size): [memory] NULL
 * allocates, [new_size] 0 frees and returns NULL, else it resizes the block and keeps its content. Out of memory, it returns NULL and
 * changes nothing. Blocks must be aligned for a double. The current core never resizes.
 *
 * [seed] keys the hash tables. If names or clients are untrusted, choose a random seed and keep it secret, so that nobody can make them
 * collide. No state, no snapshot, no lk_hash() and no order depends on it.
 */
typedef struct lk_host {
  void *(*reallocate)(void *user, void *memory, size_t old_size, size_t new_size);
  void *user;
  uint32_t seed;
} lk_host;

typedef struct lk_manager lk_manager;

/*
 * Creates an empty manager and stores it in [*manager]; the caller owns it and ends it with lk_destroy(). [host] is copied; its [user] must
 * outlive the manager. Fences start above [fence]: a log that follows an earlier one passes a number above the earlier one's fences.
 * Returns LK_OK, LK_OUT_OF_MEMORY, or LK_INVALID if [fence] is not a number from 0 to LK_NUMBER_MAX. After an error [*manager] is NULL.
 */
int lk_create(const lk_host *host, double fence, lk_manager **manager);

/* Frees [manager] and all its memory, including events. NULL is allowed. */
void lk_destroy(lk_manager *manager);

/*
 * Applies [operation], which stays the caller's. lk_events() then has its events instead of those of the previous call. Returns LK_OK; for
 * operations that a client numbers also LK_STALE (only LK_DROP), LK_REFUSED or LK_NO_FENCE (only LK_REQUEST); or LK_OUT_OF_MEMORY,
 * LK_INVALID, LK_UNKNOWN_CLIENT, LK_DUPLICATE, LK_GAP or LK_NO_HANDLE (only LK_JOIN). After a negative code the manager is unchanged and
 * there are no events. An operation that was only counted has no events either.
 *
 * The order of events: first the requests that the operation ends, then a steal's own grant, then the grants that these ends make possible:
 * name by name in the order in which the names were touched, and within a name in the order of arrival. LK_GONE ends the held locks in the
 * order of their grants, then the pending requests in the order of their arrival. A steal and LK_FORCE_RELEASE end the held locks name by
 * name, and within a name in the order of their grants. The end of a request touches its names in their order. Finally the requests that
 * are due expire with the same effects, one after the other, in the order of (deadline, client, number).
 */
int lk_apply(lk_manager *manager, const lk_operation *operation);

/* The events of the last lk_apply(), in order; [count] receives their number. They are the manager's, and valid until its next call. */
const lk_event *lk_events(const lk_manager *manager, size_t *count);

/* The log time, in milliseconds. */
double lk_time(const lk_manager *manager);
/* The log time of the next deadline, or LK_FOREVER if there is none. */
double lk_next_deadline(const lk_manager *manager);
/* The number of the last operation of [client], a member's handle; -1 if there is no such member. */
double lk_last_number(const lk_manager *manager, uint32_t client);
/* The number of held and pending requests. */
size_t lk_request_count(const lk_manager *manager);
/* Whether the request of [client], a member's handle, with that [number] is held and no request waits for any of its names. */
bool lk_is_undisputed(const lk_manager *manager, uint32_t client, double number);

/* How others use names, from least to most. glue/core/constants.js is generated from these lines. */
typedef enum lk_use {
  LK_UNUSED = 0,  /* Nobody else holds or waits for one of them. */
  LK_AWAITED = 1, /* Others wait for one of them, but hold none. */
  LK_HELD = 2     /* Others hold one of them. */
} lk_use;

/*
 * How clients other than [client] use names. [names] and [names_length] are as in an operation, and stay the caller's. A malformed name,
 * and all after it, are ignored.
 */
lk_use lk_use_by_others(const lk_manager *manager, uint32_t client, const uint16_t *names, uint32_t names_length);

/* The fence of the last grant; before the first grant, the number above which fences start. */
double lk_fence(const lk_manager *manager);

/*
 * Makes later fences greater than [fence]. If another log may have granted locks meanwhile, pass a number above its fences; all replicas
 * must pass the same one at the same place. Returns LK_OK, or LK_INVALID if [fence] is not a number from 0 to LK_NUMBER_MAX, or if fewer
 * fences would be left than there are requests. Needs no memory, and keeps the events.
 */
int lk_raise_fence(lk_manager *manager, double fence);

/* The members in the order of joining. [previous]: a member's handle, or 0 for the first one. Returns the next handle; 0 after the last. */
uint32_t lk_next_client(const lk_manager *manager, uint32_t previous);

/*
 * The request after [previous], or the first one for NULL; NULL after the last. The held ones come in the order of their grants, then the
 * pending ones in the order of arrival. They belong to the manager and are valid until its next lk_apply().
 */
typedef struct lk_request lk_request;
const lk_request *lk_next_request(const lk_manager *manager, const lk_request *previous);

/* A request, without its names. Fields without a comment are those of its operation. */
typedef struct lk_request_state {
  uint32_t client;
  uint32_t mode;
  uint32_t limit;
  uint32_t name_count;
  double number;
  double fence;    /* 0 while it is pending. */
  double deadline; /* The log time at which waiting (pending) or holding (held) ends, or LK_FOREVER. */
  double hold;
} lk_request_state;
lk_request_state lk_describe_request(const lk_request *request);

/*
 * Copies the code units of the request's name at [place], from 0 to [name_count] - 1, and returns their number. If that is more than
 * [capacity], it copies nothing.
 */
uint32_t lk_request_name(const lk_request *request, uint32_t place, uint16_t *units, uint32_t capacity);

/* The same for the id of [client], a member's handle; 0 if there is no such member. After lk_restore() this maps handles to clients. */
uint32_t lk_client_id(const lk_manager *manager, uint32_t client, uint16_t *units, uint32_t capacity);

/*
 * A hash of the state, that is, of all that a snapshot contains. It is always up to date, so reading it costs nothing. Equal states have
 * equal hashes; replicas whose hashes differ have a bug.
 */
uint32_t lk_hash(const lk_manager *manager);

/*
 * Writes the whole state to [bytes], at most [capacity] bytes, and returns its size. If that is more than [capacity], it writes nothing;
 * NULL with 0 asks for the size. Equal states give equal bytes. Little-endian, unaligned:
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
 * A snapshot takes less memory than the manager, so its size fits a size_t.
 */
size_t lk_snapshot(const lk_manager *manager, uint8_t *bytes, size_t capacity);

#define LK_SNAPSHOT_FORMAT 0x32534b4cu /* "LKS2" */

/*
 * Creates a manager from a snapshot and stores it in [*manager]; the caller owns it. [bytes] stay the caller's, and may be anything: an
 * unsound state (truncated, incompatible locks held, a grantable request pending) is refused. The order of the requests is not checked: a
 * lock may be held that should have waited. Returns LK_OK, LK_OUT_OF_MEMORY or LK_BAD_SNAPSHOT. After an error [*manager] is NULL.
 */
int lk_restore(const lk_host *host, const uint8_t *bytes, size_t size, lk_manager **manager);

#ifdef __cplusplus
}
#endif

#endif
