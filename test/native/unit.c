/* The C interface: what the schedules, which every implementation runs, cannot see. */
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static counts memory;
static lk_host host;

static lk_manager *create(void) {
  lk_manager *manager = create_manager(&host, 0);
  CHECK(manager);
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  return manager;
}

static void test_creation(void) {
  lk_destroy(NULL);
  CHECK(!create_manager(&host, -1));
  CHECK(!create_manager(&host, 0.5));
  CHECK(!create_manager(&host, NAN));
  CHECK(!create_manager(&host, LK_FOREVER));
  CHECK(!create_manager(&host, LK_NUMBER_MAX + 1));
  lk_manager *manager, *copy;
  CHECK(lk_create(&host, -1, &manager) == LK_INVALID && !manager);
  memory.fail_at = memory.allocations;
  CHECK(lk_create(&host, 0, &manager) == LK_OUT_OF_MEMORY && !manager);
  memory.fail_at = SIZE_MAX;
  /* Zero has no sign in a snapshot. */
  manager = create_manager(&host, -0.0);
  CHECK(apply(manager, tick(-0.0)) == LK_OK && lk_raise_fence(manager, -0.0) == LK_OK);
  CHECK(!lk_find_snapshot_fault(manager, &host));
  lk_destroy(manager);
  /* And handles end. */
  manager = create_manager(&host, 0);
  uint8_t bytes[64];
  size_t size = lk_snapshot(manager, bytes, sizeof bytes);
  memset(bytes + 24, 0xFF, 4);
  CHECK(lk_restore(&host, bytes, size, &copy) == LK_OK);
  CHECK(apply(copy, join(1, "tab")) == LK_NO_HANDLE && had_events(copy, ""));
  lk_destroy(copy);
  lk_destroy(manager);
  manager = create_manager(&host, 41);
  CHECK(lk_time(manager) == 0 && lk_next_deadline(manager) == LK_FOREVER && lk_request_count(manager) == 0);
  size_t count = 1;
  lk_events(manager, &count);
  CHECK(count == 0);
  CHECK(apply(manager, join(1, "tab")) == LK_OK && had_events(manager, "j1.1"));
  CHECK(apply(manager, request(1, 2, "a")) == LK_OK && had_events(manager, "g1.2"));
  CHECK(lk_events(manager, &count)->fence == 42);
  lk_destroy(manager);
}

/* A request with a member changed must be refused, and change nothing. */
#define REFUSED(status, change)                                                                                                            \
  do {                                                                                                                                     \
    lk_operation operation = request(1, 2, "a b");                                                                                         \
    change;                                                                                                                                \
    uint32_t hash = lk_hash(manager);                                                                                                      \
    CHECK(apply(manager, operation) == (status));                                                                                          \
    CHECK(had_events(manager, "") && lk_hash(manager) == hash && lk_last_number(manager, 1) == 1);                                         \
  } while (0)

/* The same for what is counted, but nothing else. */
#define COUNTED(change)                                                                                                                    \
  do {                                                                                                                                     \
    double number = lk_last_number(manager, 1) + 1;                                                                                        \
    lk_operation operation = request(1, number, "a b");                                                                                    \
    change;                                                                                                                                \
    operation.number = number;                                                                                                             \
    size_t size = lk_snapshot(manager, NULL, 0);                                                                                           \
    CHECK(apply(manager, operation) == LK_REFUSED && had_events(manager, ""));                                                             \
    CHECK(lk_last_number(manager, 1) == number && lk_snapshot(manager, NULL, 0) == size);                                                  \
  } while (0)

static void test_refusals(void) {
  lk_manager *manager = create();
  REFUSED(LK_INVALID, operation.type = 0);
  REFUSED(LK_INVALID, operation.type = 7);
  REFUSED(LK_UNKNOWN_CLIENT, operation.client = 0);
  REFUSED(LK_UNKNOWN_CLIENT, operation.client = 2);
  REFUSED(LK_INVALID, operation.number = NAN);
  REFUSED(LK_INVALID, operation.number = 2.5);
  REFUSED(LK_INVALID, operation.number = LK_NUMBER_MAX + 1);
  REFUSED(LK_DUPLICATE, operation.number = 1);
  REFUSED(LK_GAP, operation.number = 3);
  REFUSED(LK_INVALID, operation = tick(NAN));
  REFUSED(LK_INVALID, operation = tick(1.5));
  REFUSED(LK_INVALID, operation = tick(LK_NUMBER_MAX + 1));
  REFUSED(LK_INVALID, operation = join(0, "other"));
  REFUSED(LK_INVALID, operation = join(1, ""));
  REFUSED(LK_INVALID, operation = join(1, "two names"));
  REFUSED(LK_INVALID, operation = join(NAN, "other"));
  REFUSED(LK_INVALID, (operation = join(1, "other"), operation.name_count = 0));
  REFUSED(LK_INVALID, (operation = join(1, "other"), operation.name_count = 2));
  REFUSED(LK_INVALID, (operation = join(1, "other"), operation.names_length--));
  REFUSED(LK_INVALID, (operation = join(1, "two names"), operation.name_count = 1));
  REFUSED(LK_DUPLICATE, operation = join(1, "tab"));
  REFUSED(LK_UNKNOWN_CLIENT, operation = gone(2));
  CHECK(apply(manager, request(1, 2, "a b")) == LK_OK);
  lk_destroy(manager);
}

static void test_counted_refusals(void) {
  lk_manager *manager = create();
  CHECK(apply(manager, tick(1)) == LK_OK);
  COUNTED(operation.mode = 2);
  COUNTED(operation.flags = 4);
  COUNTED(operation.flags = LK_STEAL | LK_IF_AVAILABLE);
  COUNTED((operation.flags = LK_STEAL, operation.mode = LK_SHARED));
  COUNTED(operation.wait = -1);
  COUNTED(operation.wait = NAN);
  COUNTED(operation.hold = 0.5);
  COUNTED(operation.hold = 1e300);
  COUNTED(operation.hold = -LK_FOREVER);
  COUNTED(operation.name_count = 0);
  COUNTED(operation.name_count = 1);
  COUNTED(operation.name_count = 3);
  COUNTED(operation.name_count = UINT32_MAX);
  COUNTED(operation.names_length = 0);
  COUNTED(operation.names_length--);
  COUNTED((operation.names = encode("a bb")->units, operation.names_length = 6));
  /* With 32 bits this length takes 2 bytes, if it is not checked. */
  COUNTED((operation.names = (const uint16_t[]){1, 0x8000, 'a'}, operation.names_length = 3, operation.name_count = 1));
  /* And this one with 64 bits, if it is doubled before it is one of these. With 32 bits no names are so long. */
  if (sizeof(size_t) > sizeof(uint32_t)) COUNTED((operation = request(1, 2, "a"), operation.names_length = 0x80000003));
  COUNTED(operation = request(1, 2, "a b a"));
  COUNTED(operation = force_release(1, 2, "a b a"));
  COUNTED(operation = force_release(1, 2, ""));
  COUNTED(operation = drop(1, 2, NAN));
  COUNTED(operation = drop(1, 2, -1));
  COUNTED(operation.limit = 1);
  COUNTED(operation.wait = LK_NUMBER_MAX);
  COUNTED(operation.hold = LK_NUMBER_MAX);
  CHECK(apply(manager, request(1, lk_last_number(manager, 1) + 1, "a b")) == LK_OK);
  CHECK(lk_request_count(manager) == 1);
  lk_destroy(manager);
}

static void test_handles(void) {
  lk_manager *manager = create();
  CHECK(apply(manager, request(1, 2, "a")) == LK_OK);
  CHECK(apply(manager, gone(1)) == LK_OK && had_events(manager, "r1.2"));
  CHECK(apply(manager, join(1, "tab")) == LK_OK && had_events(manager, "j2.1"));
  CHECK(apply(manager, drop(1, 3, 2)) == LK_UNKNOWN_CLIENT);
  CHECK(apply(manager, drop(2, 2, 2)) == LK_STALE);
  CHECK(lk_last_number(manager, 1) == -1 && lk_last_number(manager, 2) == 2);
  lk_destroy(manager);
}

static void test_fences_run_out(void) {
  lk_manager *manager = create_manager(&host, LK_NUMBER_MAX - 2);
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  CHECK(apply(manager, request(1, 2, "a")) == LK_OK);
  CHECK(apply(manager, request(1, 3, "a")) == LK_NO_FENCE && had_events(manager, ""));
  CHECK(apply(manager, request(1, 4, "")) == LK_REFUSED);
  CHECK(apply(manager, drop(1, 5, 2)) == LK_OK);
  CHECK(apply(manager, request(1, 6, "a")) == LK_OK);
  CHECK(apply(manager, request(1, 7, "b")) == LK_NO_FENCE);
  CHECK(!lk_find_snapshot_fault(manager, &host));
  lk_destroy(manager);
}

static void test_snapshot_capacity(void) {
  lk_manager *manager = create();
  CHECK(apply(manager, request(1, 2, "a b")) == LK_OK);
  CHECK(apply(manager, request(1, 3, "b c")) == LK_OK);
  size_t size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = malloc(size + 1);
  memset(bytes, 0xEE, size + 1);
  CHECK(lk_snapshot(manager, bytes, size - 1) == size && bytes[0] == 0xEE);
  CHECK(lk_snapshot(manager, bytes, size + 1) == size && bytes[0] == 'L' && bytes[size] == 0xEE);
  lk_manager *copy;
  for (size_t part = 0; part < size; part++) CHECK(lk_restore(&host, bytes, part, &copy) == LK_BAD_SNAPSHOT && !copy);
  CHECK(lk_restore(&host, bytes, size + 1, &copy) == LK_BAD_SNAPSHOT && !copy);
  CHECK(lk_restore(&host, bytes, size, &copy) == LK_OK);
  CHECK(apply(copy, drop(1, 4, 2)) == LK_OK && had_events(copy, "r1.2 g1.3"));
  lk_destroy(copy);
  lk_destroy(manager);
  free(bytes);
}

/* What is due has expired: a snapshot in which it has not is none. */
static void test_due_snapshots(void) {
  lk_manager *manager = create(), *copy;
  lk_operation operation = request(1, 2, "a");
  operation.hold = 10;
  CHECK(apply(manager, operation) == LK_OK);
  uint8_t bytes[256];
  size_t size = lk_snapshot(manager, bytes, sizeof bytes);
  double time = 9;
  memcpy(bytes + 8, &time, sizeof time);
  CHECK(lk_restore(&host, bytes, size, &copy) == LK_OK && lk_time(copy) == 9 && lk_next_deadline(copy) == 10);
  lk_destroy(copy);
  time = 10;
  memcpy(bytes + 8, &time, sizeof time);
  CHECK(lk_restore(&host, bytes, size, &copy) == LK_BAD_SNAPSHOT);
  lk_destroy(manager);
}

/* So many requests that every table and the heap of deadlines grow several times, ended in another order than they came. */
static void test_many(void) {
  enum { COUNT = 2000 };
  lk_manager *manager = create();
  char name[16];
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "n%d all", i);
    lk_operation operation = shared(1, i + 2, name);
    operation.hold = (i * 7919) % COUNT + 1;
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  CHECK(lk_request_count(manager) == COUNT && lk_next_deadline(manager) == 1);
  CHECK(!lk_find_snapshot_fault(manager, &host));
  for (int i = 0; i < COUNT / 2; i++) {
    lk_operation operation = drop(1, i + COUNT + 2, (i * 1103) % COUNT + 2);
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  CHECK(lk_find_fault(manager) == NULL);
  CHECK(apply(manager, tick(COUNT - 1)) == LK_OK);
  CHECK(apply(manager, tick(COUNT)) == LK_OK && lk_request_count(manager) == 0);
  lk_destroy(manager);
}

/* Raising the fence takes no memory, and leaves the events to be read. */
static void test_raising_fences(void) {
  lk_manager *manager = create();
  CHECK(lk_fence(manager) <= 0);
  CHECK(apply(manager, request(1, 2, "a")) == LK_OK && lk_fence(manager) == 1);
  memory.fail_at = memory.allocations;
  CHECK(lk_raise_fence(manager, 100) == LK_OK && lk_fence(manager) == 100 && had_events(manager, "g1.2"));
  CHECK(lk_raise_fence(manager, 7) == LK_OK && lk_raise_fence(manager, 0.5) == LK_INVALID && lk_raise_fence(manager, NAN) == LK_INVALID);
  CHECK(lk_raise_fence(manager, LK_NUMBER_MAX) == LK_INVALID && lk_fence(manager) == 100);
  memory.fail_at = SIZE_MAX;
  CHECK(!lk_find_fault(manager) && !lk_find_snapshot_fault(manager, &host));
  CHECK(lk_raise_fence(manager, LK_NUMBER_MAX - 1) == LK_OK && apply(manager, request(1, 3, "b")) == LK_NO_FENCE);
  CHECK(!lk_find_snapshot_fault(manager, &host));
  lk_destroy(manager);
}

/* Memory that has been given back is used again. */
static void test_no_growth(void) {
  lk_manager *manager = create();
  size_t bytes = 0;
  for (int i = 0; i < 1000; i++) {
    lk_operation first = request(1, 2 + i * 2, "name");
    lk_operation second = drop(1, 3 + i * 2, 2 + i * 2);
    CHECK(lk_apply(manager, &first) == LK_OK && lk_apply(manager, &second) == LK_OK);
    if (i == 1) bytes = memory.bytes;
  }
  CHECK(memory.bytes == bytes);
  lk_destroy(manager);
}

/* Room and tables grow seldom, each time by a multiple. What is copied then counts no steps. */
static void test_growth(void) {
  enum { COUNT = 4096 };
  lk_manager *manager = create();
  size_t before = memory.allocations;
  for (int i = 0; i < COUNT; i++) {
    lk_operation operation = request(1, i + 2, "name");
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  /* One for each request, one for the name. */
  CHECK(memory.allocations - before - COUNT - 1 < 20);
  lk_destroy(manager);
}

static lk_use use_by_others(const lk_manager *manager, uint32_t client, const char *names) {
  const encoded *code = encode(names);
  return lk_use_by_others(manager, client, code->units, code->length);
}

/* The schedules ask about every request; these are the questions that they do not have. */
static void test_uses(void) {
  lk_manager *manager = create();
  CHECK(apply(manager, join(1, "two")) == LK_OK);
  CHECK(apply(manager, request(1, 2, "a b")) == LK_OK && apply(manager, request(2, 2, "b")) == LK_OK);
  CHECK(!lk_is_undisputed(manager, 1, 2) && !lk_is_undisputed(manager, 2, 2));
  CHECK(!lk_is_undisputed(manager, 1, 1) && !lk_is_undisputed(manager, 3, 2) && !lk_is_undisputed(manager, 0, NAN));
  CHECK(use_by_others(manager, 1, "a") == LK_UNUSED && use_by_others(manager, 1, "b") == LK_AWAITED);
  CHECK(use_by_others(manager, 1, "c b a") == LK_AWAITED && use_by_others(manager, 2, "c a") == LK_HELD);
  CHECK(use_by_others(manager, 9, "b") == LK_HELD && use_by_others(manager, 2, "c") == LK_UNUSED);
  CHECK(use_by_others(manager, 2, "") == LK_UNUSED && lk_use_by_others(manager, 2, NULL, 0) == LK_UNUSED);
  /* A name that ends too early, and what comes before it. */
  const encoded *code = encode("a b");
  CHECK(lk_use_by_others(manager, 1, code->units, code->length - 1) == LK_UNUSED);
  CHECK(lk_use_by_others(manager, 2, code->units, 4) == LK_HELD && lk_use_by_others(manager, 2, code->units, 2) == LK_UNUSED);
  CHECK(apply(manager, drop(2, 3, 2)) == LK_OK && lk_is_undisputed(manager, 1, 2) && use_by_others(manager, 1, "a b") == LK_UNUSED);
  lk_destroy(manager);
}

/* Every status has a name of its own. */
static void test_status_names(void) {
  for (int status = LK_NO_HANDLE; status <= LK_NO_FENCE; status++) {
    CHECK(lk_status_name(status) && lk_status_name(status)[0]);
    for (int other = LK_NO_HANDLE; other < status; other++) CHECK(strcmp(lk_status_name(status), lk_status_name(other)) != 0);
  }
  CHECK(!lk_status_name(LK_NO_HANDLE - 1) && !lk_status_name(LK_NO_FENCE + 1));
}

int main(void) {
  memory = (counts){.fail_at = SIZE_MAX};
  host = counting_allocator(&memory);
  test_creation();
  test_status_names();
  test_refusals();
  test_counted_refusals();
  test_handles();
  test_uses();
  test_fences_run_out();
  test_raising_fences();
  test_snapshot_capacity();
  test_due_snapshots();
  test_many();
  test_no_growth();
  test_growth();
  CHECK(memory.blocks == 0);
  test_collisions();
  test_forged_snapshots();
  test_large_names();
  test_allocation_failures();
  return 0;
}
