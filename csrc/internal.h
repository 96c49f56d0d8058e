/* The shared declarations of the lock manager's parts. */
#ifndef LK_INTERNAL_H
#define LK_INTERNAL_H

#include "list.h"
#include "lockkeeper.h"
#include "table.h"

/* Names are read and kept as bytes, in the byte order of Wasm and of snapshots. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian machines only");

/* A function's precondition or invariant, which only tests check. */
#ifdef LK_DEBUG
#include <assert.h>
#define LK_ASSERT(condition) assert(condition)
#else
#define LK_ASSERT(condition) ((void)0)
#endif

/* In Wasm, inline functions with one caller, so that an operation stays in locals. */
#ifdef __wasm__
#define LK_INLINE __attribute__((always_inline))
#else
#define LK_INLINE
#endif

/* A name, or a client's id: points to its length, which that many UTF-16 code units follow. May be unaligned. */
typedef const uint8_t *lk_name;

/* An entry of a table of names. */
typedef struct lk_named {
  lk_node by_name;
  lk_name name;
  uint32_t content; /* The name's part of the state's hash. */
} lk_named;

/* Unchecked bytes to be read. */
typedef struct lk_reader {
  const uint8_t *at;
  size_t left;
} lk_reader;

/* An item of a list whose order is part of the state's hash. */
typedef struct lk_ordered {
  lk_list place;
  uint32_t term; /* The hash of the item's content; 0 for the list itself. */
} lk_ordered;

typedef struct lk_member {
  lk_named id;
  lk_node by_handle;
  lk_list joined;      /* Place among all members. */
  lk_list held;        /* Its requests, in the order of their grants. */
  lk_list queued;      /* Its requests, in the order of their arrival. */
  uint32_t term;       /* Its part of the hash. */
  uint32_t first_hash; /* The start of its requests' table hashes. */
  double last;         /* The number of its last operation. From here on, the layout is that of snapshots. */
  uint32_t handle;
  uint8_t id_bytes[];
} lk_member;

/*
 * The state of a name. It exists while a request holds the name or waits for it. It admits a link if the link's request agrees with all
 * held requests and all that were queued before. In the queue, these are the links before [frontier]. An admitted link stays admitted. But
 * a steal closes the name: it grants nothing until the lock that was granted by the steal has ended.
 */
typedef struct lk_resource {
  lk_named name;
  lk_list queue;     /* Waiting links, in the order of arrival. */
  lk_list held;      /* Links of held requests, in the order of their grants. */
  lk_list *frontier; /* The first link in the queue that is not admitted, or &queue. */
  lk_list parked;    /* Requests that watch this name, which has admitted them but is closed. In no order. */
  lk_list touched;   /* Place among the resources whose queues must be processed. */
  size_t admitted;   /* How many links are admitted: the held ones, and the queued ones before the frontier. */
  uint32_t place;    /* Its place in the snapshot that was made last. */
  bool closed;       /* Stolen: nothing is granted until nothing is held. */
  uint8_t name_bytes[];
} lk_resource;
_Static_assert(offsetof(lk_resource, name) == 0, "a resource that is found by its name is one, or NULL");

/* One name of one request. */
typedef struct lk_link {
  lk_list place; /* In the resource's queue, or in its list of held links. */
  struct lk_request *request;
  lk_resource *resource;
  bool admitted;
} lk_link;

struct lk_request {
  lk_node by_number;
  lk_list in_member; /* Place among the member's held or queued requests. */
  lk_ordered in_all; /* Place among the manager's held or queued requests. */
  lk_list parked;    /* Place among the parked requests of the watched link's resource, if that has admitted it but is closed. */
  lk_member *member;
  double arrival;      /* Greater for later requests. */
  size_t heap_place;   /* Place in the heap of deadlines, counted from 1; 0 if it is not there. */
  uint32_t watched;    /* While queued: one of its links that is not admitted, or whose resource is closed. */
  uint32_t fixed_term; /* The hash of the fields that never change. */
  bool held;           /* Or queued, which lockkeeper.h calls pending. */
  double number;       /* From here on to link_count, the layout is that of snapshots. */
  double fence;        /* 0 while queued. */
  double deadline;     /* The end of waiting while queued, of holding while held. */
  double hold;
  uint32_t client; /* Its member's handle. */
  uint32_t mode;
  uint32_t limit; /* As requested: 0 for none. */
  uint32_t link_count;
  lk_link links[];
};

struct lk_manager {
  lk_host host;
  double time;
  double fence;
  double arrivals; /* How many requests there have been. */
  uint32_t last_handle;
  uint32_t sum; /* The sum of the terms that all members and requests add to the hash. */
  lk_table handles;
  lk_table ids;
  lk_table names;
  lk_table requests;
  lk_list members;
  lk_ordered held;
  lk_ordered queued;
  lk_list touched;
  size_t capacity;        /* For how many requests there is room: two events each, for grant and end, and a deadline. */
  lk_request **deadlines; /* A heap of the requests with a deadline. */
  size_t deadline_count;
  lk_event *events; /* In the same block as the deadlines. */
  size_t event_count;
};

/* allocator.c, or wasm.c in its place */
lk_manager *lk_allocate_manager(const lk_host *host);
void *lk_allocate(lk_manager *manager, size_t size);
void lk_free(lk_manager *manager, void *memory, size_t size);

/* memory.c */
/* Makes room for one more request, so that nothing else needs to allocate. Discards events. */
bool lk_reserve(lk_manager *manager);
/* Frees the room. */
void lk_unreserve(lk_manager *manager);

/* names.c */
/* The next [size] bytes, maybe unaligned; NULL if fewer are left. */
const uint8_t *lk_read(lk_reader *reader, size_t size);
/* NULL if the name is incomplete. */
lk_name lk_read_name(lk_reader *reader);
/* The length in code units. */
uint32_t lk_name_length(lk_name name);
/* The size in bytes, including the length field. */
size_t lk_name_size(lk_name name);
/* NULL if there is none. [hash] is the name's, by the manager's seed. */
lk_named *lk_find_named(const lk_table *table, lk_name name, uint32_t hash);
/* Copies [name] to [target], which has room for it, and puts [named] with that name into [table]. */
void lk_add_named(lk_manager *manager, lk_table *table, lk_named *named, uint8_t *target, lk_name name, uint32_t hash);
/* NULL if there is none. */
lk_resource *lk_find_resource(const lk_manager *manager, lk_name name);
/* Creates the resource if the name has none yet; NULL if out of memory. */
lk_resource *lk_find_or_add_resource(lk_manager *manager, lk_name name);
void lk_free_resource(lk_manager *manager, lk_resource *resource);
void lk_touch(lk_manager *manager, lk_resource *resource);
static inline bool lk_is_touched(const lk_resource *resource) {
  return !lk_list_empty(&resource->touched);
}
/*
 * Reads [count] names, to the reader's end, and touches their resources in this order; creates missing ones. Nothing may be touched before
 * the call. LK_INVALID: there are duplicates, or no names.
 */
int lk_touch_names(lk_manager *manager, lk_reader *names, uint32_t count);

/* members.c */
lk_member *lk_find_member(const lk_manager *manager, uint32_t handle);
/* LK_INVALID if [id] (maybe NULL) or [last], the number of its last operation, is invalid; LK_DUPLICATE if it is a member's id. */
int lk_add_member(lk_manager *manager, lk_name id, uint32_t handle, double last);
void lk_set_last(lk_manager *manager, lk_member *member, double last);
/* Ends all its requests first, and processes no queues. */
void lk_remove_member(lk_manager *manager, lk_member *member);

/* queue.c */
void lk_emit(lk_manager *manager, uint32_t type, uint32_t client, double number, double fence);
lk_request *lk_find_request(const lk_manager *manager, const lk_member *member, double number);
/* Creates a request for the [count] touched resources, neither queued nor held yet. NULL if out of memory. */
lk_request *lk_new_request(lk_manager *manager, lk_member *member, double number, uint32_t mode, uint32_t limit, double hold,
                           uint32_t count);
void lk_enqueue(lk_manager *manager, lk_request *request, double deadline);
/* False if it does not agree with the held requests. */
bool lk_hold(lk_manager *manager, lk_request *request, double fence, double deadline);
/* Grants a queued request, or a new one. */
void lk_grant(lk_manager *manager, lk_request *request);
/* Removes and frees [request], and touches its resources. */
void lk_end_request(lk_manager *manager, lk_request *request, uint32_t type);
/* Breaks all held locks on [resource]. */
void lk_break_held(lk_manager *manager, lk_resource *resource);
/* Grants all grantable requests of the touched queues, and frees unused resources. */
void lk_process_touched(lk_manager *manager);

/* deadlines.c: a binary heap, by (deadline, client, number). */
void lk_deadline_add(lk_manager *manager, lk_request *request);
/* Also allowed for a request without a deadline. */
void lk_deadline_remove(lk_manager *manager, lk_request *request);

/* hash.c */
/* [seed] is the host's for tables, 0 for the state's hash. */
uint32_t lk_name_hash(uint32_t seed, lk_name name);
uint32_t lk_mix(uint32_t hash, double value);
/* Puts [item] at the end of [list], or removes it from its list; both update the state's hash. */
void lk_ordered_append(lk_manager *manager, lk_ordered *list, lk_ordered *item);
void lk_ordered_remove(lk_manager *manager, lk_ordered *item);

/* A whole number that operations may carry. */
static inline bool lk_is_number(double value) {
#ifdef __wasm__
  double whole = __builtin_floor(value); /* One instruction. Elsewhere it may need a library. */
#else
  double whole = value >= 0 && value <= LK_NUMBER_MAX ? (double)(int64_t)value : -1;
#endif
  return value >= 0 && value <= LK_NUMBER_MAX && value == whole;
}

static inline bool lk_is_duration(double value) {
  return value == LK_FOREVER || lk_is_number(value);
}

/* Whether [count] more fences are left after [fence], a number: each queued request must be able to get one. */
static inline bool lk_has_fences(double fence, size_t count) {
  return lk_is_number(fence + (double)count);
}

#endif
