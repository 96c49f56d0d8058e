/*
 * The core's interface for JavaScript, compiled to Wasm or from that to JavaScript. Each instance has one manager, one scratch buffer for
 * names and snapshots, and its memory. glue/core/core.js is the other side.
 */
#include "heap.h"
#include "internal.h"

#define EXPORT(name) __attribute__((export_name(#name), visibility("default")))

/* JavaScript reads an event as words for the type and the client, and doubles for the number and the fence. */
_Static_assert(offsetof(lk_event, type) == 0, "event");
_Static_assert(offsetof(lk_event, client) == 4, "event");
_Static_assert(offsetof(lk_event, number) == 8, "event");
_Static_assert(offsetof(lk_event, fence) == 16, "event");
_Static_assert(sizeof(lk_event) == 24, "event");
/* Requests likewise: doubles for the number, the fence, the deadline and hold; words for the client, the mode, the limit and how many
 * names. */
#define REQUEST 64
_Static_assert(offsetof(lk_request, number) == REQUEST, "request");
_Static_assert(offsetof(lk_request, fence) == REQUEST + 8, "request");
_Static_assert(offsetof(lk_request, deadline) == REQUEST + 16, "request");
_Static_assert(offsetof(lk_request, hold) == REQUEST + 24, "request");
_Static_assert(offsetof(lk_request, client) == REQUEST + 32, "request");
_Static_assert(offsetof(lk_request, mode) == REQUEST + 36, "request");
_Static_assert(offsetof(lk_request, limit) == REQUEST + 40, "request");
_Static_assert(offsetof(lk_request, link_count) == REQUEST + 44, "request");

#define PAGE 65536u

extern uint8_t __heap_base;

static heap blocks;
static size_t heap_size;
static lk_host host;
static lk_manager *current;
static lk_manager *kept;
static uint8_t *scratch_bytes;
static size_t scratch_size;

static bool grow(size_t pages) {
  return __builtin_wasm_memory_grow(0, pages) != SIZE_MAX;
}

static void *heap_extend(size_t size) {
  uint8_t *start = &__heap_base + heap_size;
  size_t pages = __builtin_wasm_memory_size(0);
  size_t left = pages * PAGE - (size_t)start;
  if (size > left) {
    size_t needed = (size - left) / PAGE + 1;
    /* An eighth more, if possible, since growing moves the memory in some engines. */
    if (!grow(needed + pages / 8) && !grow(needed)) return NULL;
  }
  heap_size += size;
  return start;
}

/* These replace allocator.c: an instance has one memory, so calls need not go through the host. */
void *lk_allocate(lk_manager *manager, size_t size) {
  (void)manager;
  return heap_allocate(&blocks, size);
}

void lk_free(lk_manager *manager, void *memory, size_t size) {
  (void)manager;
  heap_free(&blocks, memory, size);
}

lk_manager *lk_allocate_manager(const lk_host *given) {
  lk_manager *manager = lk_allocate(NULL, sizeof *manager);
  if (!manager) return NULL;
  __builtin_memset(manager, 0, sizeof *manager);
  manager->host = *given;
  return manager;
}

static int replace(int status, lk_manager *manager) {
  if (status) return status;
  lk_destroy(current);
  current = manager;
  return LK_OK;
}

/* Replaces the manager by an empty one; after an error, keeps it. [seed] keys its tables, and those of managers restored later. Returns the
 * status of lk_create(). */
EXPORT(reset) int reset(double fence, uint32_t seed) {
  lk_manager *manager;
  host.seed = seed;
  int status = lk_create(&host, fence, &manager);
  return replace(status, manager);
}

/* The address of a buffer of at least [size] bytes, or LK_OUT_OF_MEMORY. Its content is valid until the next call. */
EXPORT(scratch) int scratch(size_t size) {
  if (size > scratch_size) {
    if (scratch_bytes) lk_free(NULL, scratch_bytes, scratch_size);
    scratch_bytes = lk_allocate(NULL, size);
    scratch_size = scratch_bytes ? size : 0;
  }
  return scratch_bytes ? (int)scratch_bytes : LK_OUT_OF_MEMORY;
}

/* Applies an operation whose names are in the scratch buffer. Returns its status. */
EXPORT(apply)
int apply(uint32_t type, uint32_t client, double number, double request, double wait, double hold, double now, uint32_t mode,
          uint32_t limit, uint32_t flags, uint32_t name_count, uint32_t names_length) {
  const uint16_t *names = (const uint16_t *)(const void *)scratch_bytes;
  lk_operation operation = {type, client, number, request, wait, hold, now, mode, limit, flags, name_count, names_length, names};
  return lk_apply(current, &operation);
}

/* How many events the last operation caused. */
EXPORT(eventCount) size_t event_count(void) {
  return current->event_count;
}

/* The address of the last operation's events. */
EXPORT(events) const lk_event *events(void) {
  return current->events;
}

/* Writes a snapshot to the scratch buffer and returns its size, or LK_OUT_OF_MEMORY. */
EXPORT(snapshot) int snapshot(void) {
  size_t size = lk_snapshot(current, NULL, 0);
  int status = scratch(size);
  return status < 0 ? status : (int)lk_snapshot(current, scratch_bytes, size);
}

/* Replaces the manager by that of the snapshot of [size] bytes in the scratch buffer; after an error, keeps it. Returns the status. */
EXPORT(restore) int restore(size_t size) {
  lk_manager *manager;
  int status = lk_restore(&host, scratch_bytes, size, &manager);
  return replace(status, manager);
}

/* Keeps the manager, and continues with a copy until rejoin(). Returns LK_OK, or LK_OUT_OF_MEMORY: then nothing changes, so no rejoin(). */
EXPORT(fork) int fork(void) {
  int size = snapshot();
  lk_manager *manager;
  int status = size < 0 ? size : lk_restore(&host, scratch_bytes, (size_t)size, &manager);
  if (status) return status;
  kept = current;
  current = manager;
  return LK_OK;
}

/* Continues with the kept manager, and ends the copy. */
EXPORT(rejoin) void rejoin(void) {
  replace(LK_OK, kept);
}

/* The request after [previous], or the first one; NULL after the last. */
EXPORT(nextRequest) const lk_request *next_request(const lk_request *previous) {
  return lk_next_request(current, previous);
}

/* The address of the request's name at [place]: a word for its length, then its code units. */
EXPORT(requestName) lk_name request_name(const lk_request *request, uint32_t place) {
  return request->links[place].resource->name.name;
}

/* Returns the status of lk_raise_fence(). */
EXPORT(raise) int raise_fence(double above) {
  return lk_raise_fence(current, above);
}

EXPORT(last) double last(uint32_t client) {
  return lk_last_number(current, client);
}

EXPORT(time) double time(void) {
  return lk_time(current);
}

EXPORT(nextDeadline) double next_deadline(void) {
  return lk_next_deadline(current);
}

EXPORT(requestCount) size_t request_count(void) {
  return lk_request_count(current);
}

EXPORT(isUndisputed) int is_undisputed(uint32_t client, double number) {
  return lk_is_undisputed(current, client, number);
}

/* The names are in the scratch buffer. */
EXPORT(useByOthers) int use_by_others(uint32_t client, uint32_t names_length) {
  return (int)lk_use_by_others(current, client, (const uint16_t *)(const void *)scratch_bytes, names_length);
}

/* A double, since JavaScript would read the greater half of the words as negative. */
EXPORT(hash) double hash(void) {
  return lk_hash(current);
}

/* The compiler needs these functions, and there is no library. */
void *memcpy(void *target, const void *source, size_t size) {
  uint8_t *to = target;
  const uint8_t *from = source;
  while (size--) *to++ = *from++;
  return target;
}

void *memset(void *target, int value, size_t size) {
  uint8_t *to = target;
  while (size--) *to++ = (uint8_t)value;
  return target;
}

int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *left = a, *right = b;
  for (; size; size--, left++, right++) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}
