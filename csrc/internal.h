/* What the parts of the lock manager know of each other. */
#ifndef LK_INTERNAL_H
#define LK_INTERNAL_H

#include "list.h"
#include "lockkeeper.h"
#include "table.h"

/* Names are read and kept as bytes, in the order that Wasm has and snapshots demand. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian machines only");

/* A name, or a client's id: where its length is, and behind that so many UTF-16 code units. Perhaps unaligned. */
typedef const uint8_t *lk_name;

/* Reads bytes that may be anything. What is not there reads as zero, and [bad] stays set. */
typedef struct lk_reader {
  const uint8_t *at;
  size_t left;
  bool bad;
  bool names_alone; /* Nothing may be left behind the names. */
} lk_reader;

typedef struct lk_member {
  lk_node by_handle;
  lk_node by_id;
  lk_list joined; /* Place among all members. */
  lk_list held;   /* Its requests, in the order of their grants. */
  lk_list queued; /* Its requests, in the order of their arrival. */
  double last;    /* The number of its last operation. */
  uint32_t handle;
  uint32_t term; /* Its part of the hash. */
  uint8_t id[];  /* A name. */
} lk_member;

/*
 * What a name stands for; it exists while anybody holds it or waits for it. A queued link before [frontier] is eligible: as far
 * as this name goes, nothing is in its request's way. Those from [frontier] on are not.
 */
typedef struct lk_resource {
  lk_node by_name;
  lk_list queue;     /* Waiting links, in the order of arrival. */
  lk_list held;      /* Links of held requests, in the order of their grants. */
  lk_list *frontier; /* The first link in the queue that is not eligible, or &queue. */
  lk_list touched;   /* Place among those whose queues must be looked at. */
  uint8_t name[];
} lk_resource;

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
  double number;
  double fence;    /* 0 while queued. */
  double deadline; /* Of waiting while queued, of holding when held. */
  double hold;
  size_t due; /* Place among the deadlines, from 1; 0: it is not there. */
  uint32_t mode;
  uint32_t blocked; /* In how many of its names it is not eligible. */
  uint32_t seed;    /* The hash of what does not change. */
  uint32_t term;    /* Its part of the hash. */
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
  lk_request **deadlines; /* A heap of those that have one; in the block of [events]. */
  size_t deadline_count;
};

/* memory.c */
void *lk_allocate(lk_manager *manager, size_t size);
void lk_free(lk_manager *manager, void *memory, size_t size);
/* Makes room for one more request, so that nothing else has to allocate. */
bool lk_reserve(lk_manager *manager);
/* Frees the room. */
void lk_unreserve(lk_manager *manager);

/* names.c */
void lk_read(lk_reader *reader, void *target, size_t size);
lk_name lk_read_name(lk_reader *reader);
/* In bytes, with the length that it begins with. */
size_t lk_name_size(lk_name name);
uint32_t lk_name_hash(lk_name name);
bool lk_same_name(lk_name a, lk_name b);

static inline bool lk_is_empty(lk_name name) {
  return lk_name_size(name) == sizeof(uint32_t);
}

/* That of its name. */
uint32_t lk_resource_hash(const lk_resource *resource);
lk_resource *lk_find_resource(const lk_manager *manager, lk_name name);
/* Reads [count] names and touches their resources in this order; makes those that are missing if [create]. LK_INVALID: duplicates, none. */
int lk_touch_names(lk_manager *manager, lk_reader *reader, uint32_t count, bool create);
void lk_touch(lk_manager *manager, lk_resource *resource);
void lk_free_resource(lk_manager *manager, lk_resource *resource);

/* members.c */
lk_member *lk_find_member(const lk_manager *manager, uint32_t handle);
/* Returns LK_DUPLICATE where the id is a member's. */
int lk_add_member(lk_manager *manager, lk_name id, uint32_t handle, double last);
void lk_set_last(lk_manager *manager, lk_member *member, double last);
/* Ends all its requests first, and processes nothing. */
void lk_remove_member(lk_manager *manager, lk_member *member);

/* queue.c */
void lk_emit(lk_manager *manager, uint32_t type, const lk_member *member, double number, double fence);
lk_request *lk_find_request(const lk_manager *manager, uint32_t client, double number);
/* Makes a request for [count] names, which are touched; it is neither queued nor held yet. */
int lk_new_request(lk_manager *manager, lk_reader *names, uint32_t count, lk_request **request);
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
