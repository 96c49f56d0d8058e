/* Want of memory: each allocation of each operation fails in turn, and the state must be what it was and go on as if nothing were. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often allocations failed and the operation was refused, or was not (a table that stays small). */
static size_t refused, endured;

static uint8_t *snapshot_of(const lk_manager *manager, size_t *size) {
  *size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = malloc(*size);
  CHECK(lk_snapshot(manager, bytes, *size) == *size);
  return bytes;
}

static bool same_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  return a_size == b_size && !memcmp(a, b, a_size);
}

/* A manager on which every kind of operation has something to do, at the edge of growing: [filler] requests more. */
static lk_manager *prepare(const lk_host *host, int filler) {
  lk_manager *manager = create_manager(host, 0);
  CHECK(manager);
  CHECK(apply(manager, join(1, "one")) == LK_OK && apply(manager, join(1, "two")) == LK_OK);
  CHECK(apply(manager, request(1, 2, "a b")) == LK_OK);
  lk_operation timed = request(2, 2, "b c");
  timed.wait = 10;
  timed.hold = 5;
  CHECK(apply(manager, timed) == LK_OK);
  CHECK(apply(manager, shared(2, 3, "d")) == LK_OK);
  CHECK(apply(manager, request(1, 3, "c d")) == LK_OK);
  char name[16];
  for (int i = 0; i < filler; i++) {
    snprintf(name, sizeof name, "f%d", i);
    CHECK(apply(manager, request(1, 4 + i, name)) == LK_OK);
  }
  return manager;
}

/* One of the operations to try; NULL after the last. */
static const char *operation_at(int index, int filler, lk_operation *operation) {
  double next = 4 + filler;
  switch (index) {
  case 0:
    *operation = request(1, next, "x");
    return "a new name";
  case 1:
    *operation = request(1, next, "a x y z");
    return "names old and new, queued";
  case 2:
    *operation = shared(1, next, "d");
    operation->flags = LK_IF_AVAILABLE;
    return "unavailable";
  case 3:
    *operation = steal(1, next, "b d e");
    return "steal";
  case 4:
    *operation = join(1, "three");
    return "join";
  case 5:
    *operation = force_release(2, 4, "a d nobody");
    return "force-release";
  case 6:
    *operation = drop(1, next, 2);
    return "drop";
  case 7:
    *operation = gone(1);
    return "gone";
  case 8:
    *operation = tick(20);
    return "tick";
  default:
    return NULL;
  }
}

static bool allocates(int index) {
  return index <= 5;
}

static void fail_each_allocation(int index, int filler) {
  for (size_t failing = 0;; failing++) {
    counts memory = {.fail_at = SIZE_MAX};
    lk_host host = counting_allocator(&memory);
    lk_manager *manager = prepare(&host, filler);
    lk_manager *twin = prepare(&host, filler);
    size_t before_size, after_size;
    uint8_t *before = snapshot_of(manager, &before_size);
    uint32_t hash = lk_hash(manager);
    size_t bytes = memory.bytes;
    lk_operation operation;
    const char *name = operation_at(index, filler, &operation);
    size_t start = memory.allocations;
    memory.fail_at = start + failing;
    int status = apply(manager, operation);
    bool failed = memory.allocations > memory.fail_at;
    memory.fail_at = SIZE_MAX;
    if (status == LK_OUT_OF_MEMORY) {
      refused++;
      uint8_t *after = snapshot_of(manager, &after_size);
      if (!same_bytes(before, before_size, after, after_size)) fprintf(stderr, "%s: changed by a failure\n", name);
      CHECK(same_bytes(before, before_size, after, after_size) && lk_hash(manager) == hash && had_events(manager, ""));
      CHECK(memory.bytes >= bytes); /* Tables and room that have grown already may stay. */
      free(after);
      CHECK(apply(manager, operation) == LK_OK);
    } else {
      CHECK(status == LK_OK);
      if (failed) endured++;
    }
    CHECK(allocates(index) || memory.allocations == start);
    CHECK(apply(twin, operation) == LK_OK && lk_hash(twin) == lk_hash(manager));
    free(before);
    size_t twin_size;
    before = snapshot_of(twin, &twin_size);
    uint8_t *after = snapshot_of(manager, &after_size);
    CHECK(same_bytes(before, twin_size, after, after_size));
    free(before);
    free(after);
    lk_destroy(manager);
    lk_destroy(twin);
    CHECK(memory.blocks == 0);
    if (!failed) return;
  }
}

/* Where much has ended, a request needs memory for its name and itself; that tables and room do not shrink for want of it does no harm. */
static void fail_to_shrink(void) {
  size_t refusals = 0, failures = 0;
  for (bool failed = true; failed; failures++) {
    counts memory = {.fail_at = SIZE_MAX};
    lk_host host = counting_allocator(&memory);
    lk_manager *manager = prepare(&host, 500);
    CHECK(apply(manager, gone(1)) == LK_OK);
    memory.fail_at = memory.allocations + failures;
    int status = apply(manager, request(2, 4, "x"));
    failed = memory.allocations > memory.fail_at;
    CHECK(status == LK_OK || (failed && status == LK_OUT_OF_MEMORY));
    if (status == LK_OUT_OF_MEMORY) refusals++;
    lk_destroy(manager);
    CHECK(memory.blocks == 0);
  }
  CHECK(refusals == 2 && failures > 5);
}

static void fail_creation_and_restoring(void) {
  counts memory = {.fail_at = SIZE_MAX};
  lk_host host = counting_allocator(&memory);
  lk_manager *manager = prepare(&host, 20);
  size_t size;
  uint8_t *bytes = snapshot_of(manager, &size);
  size_t blocks = memory.blocks;
  for (size_t failing = 0; failing < 2; failing++) {
    memory.fail_at = memory.allocations + failing;
    CHECK(!create_manager(&host, 0) && memory.blocks == blocks);
  }
  bool failed = true;
  for (size_t failing = 0; failed; failing++) {
    memory.fail_at = memory.allocations + failing;
    lk_manager *copy;
    int status = lk_restore(&host, bytes, size, &copy);
    failed = memory.allocations > memory.fail_at;
    CHECK(status == LK_OUT_OF_MEMORY || status == LK_OK);
    CHECK((status == LK_OK) == (copy != NULL));
    if (copy) CHECK(!lk_find_fault(copy) && lk_hash(copy) == lk_hash(manager));
    if (failed && copy) endured++;
    if (!copy) refused++;
    lk_destroy(copy);
    CHECK(memory.blocks == blocks);
  }
  memory.fail_at = SIZE_MAX;
  free(bytes);
  lk_destroy(manager);
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static lk_operation random_operation(uint32_t *state, const lk_manager *manager, uint32_t last_client) {
  static const char *const scopes[] = {"a", "b", "c", "a b", "b c", "c a", "a b c d", "e f g"};
  uint32_t client = last_client ? next_random(state) % last_client + 1 : 1;
  double number = lk_last_number(manager, client) + 1;
  const char *names = scopes[next_random(state) % 8];
  lk_operation operation = request(client, number, names);
  uint32_t kind = next_random(state) % 16;
  if (kind < 8) {
    operation.mode = next_random(state) % 2;
    operation.wait = next_random(state) % 2 ? LK_FOREVER : next_random(state) % 8;
    operation.hold = next_random(state) % 2 ? LK_FOREVER : next_random(state) % 8;
    return operation;
  }
  char id[16];
  snprintf(id, sizeof id, "client%u", last_client);
  return kind < 9                 ? steal(client, number, names)
         : kind < 13              ? drop(client, number, number - 1 - next_random(state) % 12)
         : kind < 14              ? tick(lk_time(manager) + next_random(state) % 4)
         : kind < 15              ? force_release(client, number, names)
         : next_random(state) % 3 ? join(1, id)
                                  : gone(client);
}

/* Long runs in which every few allocations fail, beside a manager for which none does. */
static void fail_now_and_then(uint32_t seed) {
  counts memory = {.fail_at = SIZE_MAX}, scarce = {.fail_at = SIZE_MAX};
  lk_host plenty = counting_allocator(&memory), want = counting_allocator(&scarce);
  lk_manager *twin = create_manager(&plenty, 0), *manager = create_manager(&want, 0);
  scarce.fail_every = 3;
  uint32_t state = seed, last_client = 0;
  for (int step = 0; step < 3000; step++) {
    lk_operation operation = random_operation(&state, twin, last_client);
    int expected = apply(twin, operation);
    int status = apply(manager, operation);
    if (status == LK_OUT_OF_MEMORY) {
      refused++;
      scarce.fail_every = 0;
      status = apply(manager, operation);
      scarce.fail_every = 3;
    }
    CHECK(status == expected && lk_hash(twin) == lk_hash(manager));
    if (operation.type == LK_JOIN && status == LK_OK) last_client++;
  }
  CHECK(!lk_find_snapshot_fault(manager, &plenty));
  lk_destroy(twin);
  lk_destroy(manager);
  CHECK(memory.blocks == 0 && scarce.blocks == 0);
}

void test_allocation_failures(void) {
  lk_operation operation;
  for (int filler = 0; filler < 30; filler++) {
    for (int index = 0; operation_at(index, filler, &operation); index++) fail_each_allocation(index, filler);
  }
  fail_to_shrink();
  fail_creation_and_restoring();
  for (uint32_t seed = 1; seed <= 20; seed++) fail_now_and_then(seed);
  CHECK(refused > 1000 && endured > 10);
  printf("allocation failures: %zu refused, %zu endured\n", refused, endured);
}
