/* What the parts of the lock manager know of each other. */
#ifndef LK_INTERNAL_H
#define LK_INTERNAL_H

#include "list.h"
#include "lockkeeper.h"
#include "table.h"

/* Names are read and kept as bytes, in the order that Wasm has and snapshots demand. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian machines only");

/* In Wasm, what has one caller becomes part of it: so an operation stays in locals. */
#ifdef __wasm__
#define LK_INLINE __attribute__((always_inline))
#else
#define LK_INLINE
#endif

/* A name, or a client's id: where its length is, and behind that so many UTF-16 code units. Perhaps unaligned. */
typedef const uint8_t *lk_name;

/* What has a name, in a table of those. */
typedef struct lk_named {
  lk_node by_name;
  lk_name name;
} lk_named;

/* Bytes to be read, which may be anything. */
typedef struct lk_reader {
  const uint8_t *at;
  size_t left;
  size_t rest; /* How much may be left behind the names. */
} lk_reader;

typedef struct lk_member {
  lk_named id;
  lk_node by_handle;
  lk_list joined; /* Place among all members. */
  lk_list held;   /* Its requests, in the order of their grants. */
  lk_list queued; /* Its requests, in the order of their arrival. */
  uint32_t term;  /* Its part of the hash. */
  double last;    /* The number of its last operation. From here on as in snapshots. */
  uint32_t handle;
  uint8_t id_bytes[];
} lk_member;

/*
 * What a name stands for; it exists while anybody holds it or waits for it. A queued link before [frontier] is eligible: as far
 * as this name goes, nothing is in its request's way. Those from [frontier] on are not.
 */
typedef struct lk_resource {
  lk_named name;
  lk_list queue;     /* Waiting links, in the order of arrival. */
  lk_list held;      /* Links of held requests, in the order of their grants. */
  lk_list *frontier; /* The first link in the queue that is not eligible, or &queue. */
  lk_list touched;   /* Place among those whose queues must be looked at. */
  uint8_t name_bytes[];
} lk_resource;
_Static_assert(offsetof(lk_resource, name) == 0, "a resource that is found by its name is one, or NULL");

/* One name of one request. */
typedef struct lk_link {
  lk_list place; /* In the resource's queue, or among its held. */
  struct lk_request *request;
  lk_resource *resource;
} lk_link;

typedef struct lk_request {
  lk_node by_number;
  lk_list in_member; /* Place among the member's held or queued ones. */
  lk_list in_all;    /* Place among the manager's. */
  lk_member *member;
  size_t due;       /* Place among the deadlines, from 1; 0: it is not there. */
  uint32_t blocked; /* In how many of its names it is not eligible. */
  uint32_t seed;    /* The hash of what does not change. */
  uint32_t term;    /* Its part of the hash. */
  double number;    /* From here on to the count of names as in snapshots. */
  double fence;     /* 0 while queued. */
  double deadline;  /* Of waiting while queued, of holding when held. */
  double hold;
  uint32_t client; /* Its member's handle. */
  uint32_t mode;
  uint32_t link_count;
  lk_link links[];
} lk_request;

struct lk_manager {
  lk_allocator allocator;
  double time;
  double fence;
  uint32_t last_handle;
  uint32_t sum; /* Of the terms of all members and requests. */
  lk_table handles;
  lk_table ids;
  lk_table names;
  lk_table requests;
  lk_list members;
  lk_list held;
  lk_list queued;
  lk_list touched;
  size_t capacity;  /* For how many requests there is room: events for each of them to be granted and to end, and deadlines. */
  lk_event *events; /* 2 * capacity + 2. */
  size_t event_count;
  lk_reader in;            /* What is being read: an operation's names, or a snapshot. */
  lk_request *new_request; /* The last one that lk_new_request() has made. */
  lk_request **deadlines;  /* A heap of those that have one; in the block of [events]. */
  size_t deadline_count;
};

/* allocator.c, or wasm.c in its place */
lk_manager *lk_allocate_manager(const lk_allocator *allocator);
void *lk_allocate(lk_manager *manager, size_t size);
void lk_free(lk_manager *manager, void *memory, size_t size);

/* memory.c */
/* Makes room for one more request, so that nothing else has to allocate. */
bool lk_reserve(lk_manager *manager);
/* Frees the room. */
void lk_unreserve(lk_manager *manager);

/* names.c */
/* The next [size] bytes, perhaps unaligned; NULL where there are not so many. */
const void *lk_read(lk_manager *manager, size_t size);
/* NULL where it is not all there. */
lk_name lk_read_name(lk_manager *manager);
/* In bytes, with the length that it begins with. */
size_t lk_name_size(lk_name name);
uint32_t lk_name_hash(lk_name name);
/* NULL where there is none. [hash] is the name's. */
lk_named *lk_find_named(const lk_table *table, lk_name name, uint32_t hash);

static inline bool lk_is_empty(lk_name name) {
  return lk_name_size(name) == sizeof(uint32_t);
}

/* That of its name, as it counts in a request's hash. */
uint32_t lk_resource_hash(const lk_resource *resource);
/* Reads [count] names and touches their resources in this order; makes those that are missing. LK_INVALID: duplicates, none. */
int lk_touch_names(lk_manager *manager, uint32_t count);
void lk_touch(lk_manager *manager, lk_resource *resource);
void lk_free_resource(lk_manager *manager, lk_resource *resource);

/* members.c */
lk_member *lk_find_member(const lk_manager *manager, uint32_t handle);
/* Reads the id. Returns LK_INVALID where it or [last], the number of its last operation, is none; LK_DUPLICATE where it is a member's. */
int lk_add_member(lk_manager *manager, uint32_t handle, double last);
void lk_set_last(lk_manager *manager, lk_member *member, double last);
/* Ends all its requests first, and processes nothing. */
void lk_remove_member(lk_manager *manager, lk_member *member);

/* queue.c */
void lk_emit(lk_manager *manager, uint32_t type, uint32_t client, double number, double fence);
lk_request *lk_find_request(const lk_manager *manager, uint32_t client, double number);
/* Reads [count] names, touches them and makes a new_request for them, which is neither queued nor held yet. LK_INVALID: also mode, hold. */
int lk_new_request(lk_manager *manager, lk_member *member, double number, uint32_t mode, double hold, uint32_t count);
/* Lists [request], now that its fields are known, as its member's: queued if [fence] is 0. */
void lk_add_request(lk_manager *manager, lk_request *request, double fence, double deadline);
void lk_enqueue(lk_manager *manager, lk_request *request, double deadline);
/* Puts its links among the held ones; false if one is incompatible with what is held there. */
bool lk_hold_links(lk_request *request);
void lk_grant(lk_manager *manager, lk_request *request);
/* Removes and frees [request], and touches its resources. */
void lk_end_request(lk_manager *manager, lk_request *request, uint32_t type);
/* Breaks all that is held on [resource]. */
void lk_break_held(lk_manager *manager, lk_resource *resource);
/* What was eligible in the queue of [resource] is not any more. */
void lk_block_queue(lk_resource *resource);
/* Grants what can be granted now in the touched queues, and frees the resources that nobody uses. */
void lk_process_touched(lk_manager *manager);

/* deadlines.c: a binary heap, by (deadline, client, number). */
void lk_deadline_add(lk_manager *manager, lk_request *request);
/* Allowed for a request that has none. */
void lk_deadline_remove(lk_manager *manager, lk_request *request);

/* snapshot.c */
/* lk_restore() into a new [manager], which is only good to be destroyed where that is refused. */
int lk_load(lk_manager *manager, const uint8_t *bytes, size_t size);

/* hash.c */
uint32_t lk_mix(uint32_t hash, double value);

/* A whole number that operations may carry. */
static inline bool lk_is_number(double value) {
  return value >= 0 && value <= LK_NUMBER_MAX && value == __builtin_floor(value);
}

static inline bool lk_is_duration(double value) {
  return value == LK_FOREVER || lk_is_number(value);
}

#endif
