/* Snapshots with one value changed: what no state has is refused. */
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static counts memory;
static lk_host host;

/* Where what stands in a snapshot of one member, "tab", and of one name of one unit that four requests have. */
enum { FORMAT = 0, MEMBERS = 4, TIME = 8, LAST_FENCE = 16, LAST_HANDLE = 24, NAMES = 28, HELD = 32, QUEUED = 36 };
enum { LAST_NUMBER = 40, HANDLE = LAST_NUMBER + 8, ID = HANDLE + 4, NAME = ID + 4 + 3 * 2 };
enum { RECORD = 52, FIRST = NAME + 4 + 2, SECOND = FIRST + RECORD, THIRD = SECOND + RECORD, FOURTH = THIRD + RECORD };
/* In a request's record. */
enum { NUMBER = 0, FENCE = 8, DEADLINE = 16, HOLD = 24, CLIENT = 32, MODE = 36, LIMIT = 40, NAME_COUNT = 44, PLACE = 48 };

static uint8_t snapshot[512];
static size_t size;

static int restore_with(size_t at, const void *value, size_t value_size, lk_manager **copy) {
  uint8_t forged[sizeof snapshot];
  memcpy(forged, snapshot, size);
  memcpy(forged + at, value, value_size);
  return lk_restore(&host, forged, size, copy);
}

static void refuse_numbers(size_t at, const double *values, size_t count) {
  lk_manager *copy;
  for (size_t i = 0; i < count; i++) {
    int status = restore_with(at, &values[i], sizeof values[i], &copy);
    if (status != LK_BAD_SNAPSHOT) fprintf(stderr, "%g at %zu: %d\n", values[i], at, status);
    CHECK(status == LK_BAD_SNAPSHOT && !copy);
  }
}

static void refuse_words(size_t at, const uint32_t *values, size_t count) {
  lk_manager *copy;
  for (size_t i = 0; i < count; i++) {
    int status = restore_with(at, &values[i], sizeof values[i], &copy);
    if (status != LK_BAD_SNAPSHOT) fprintf(stderr, "%u at %zu: %d\n", values[i], at, status);
    CHECK(status == LK_BAD_SNAPSHOT && !copy);
  }
}

/* Each of these, in place of what stands [at] there, is refused. */
#define NUMBERS(at, ...) refuse_numbers(at, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
#define WORDS(at, ...) refuse_words(at, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void test_values(void) {
  lk_manager *manager = create_manager(&host, 0), *copy;
  CHECK(apply(manager, join(1, "tab")) == LK_OK && apply(manager, tick(1)) == LK_OK);
  lk_operation held = shared(1, 3, "a"), queued = request(1, 5, "a");
  held.hold = 10;
  queued.wait = 20;
  CHECK(apply(manager, shared(1, 2, "a")) == LK_OK && apply(manager, held) == LK_OK && apply(manager, drop(1, 4, 1)) == LK_STALE);
  CHECK(apply(manager, queued) == LK_OK && apply(manager, request(1, 6, "a")) == LK_OK && lk_fence(manager) == 2);
  size = lk_snapshot(manager, snapshot, sizeof snapshot);
  CHECK(size == FOURTH + RECORD);
  lk_destroy(manager);

  NUMBERS(TIME, -1, 1.5, NAN, -0.0, 0, 11, 21);
  /* With the queued requests counted on, the last of these is rounded to a whole number. */
  NUMBERS(LAST_FENCE, 1, 2.5, LK_NUMBER_MAX - 1, 4503599627370495.5);
  WORDS(FORMAT, 0);
  WORDS(MEMBERS, 0, 2, UINT32_MAX);
  WORDS(LAST_HANDLE, 0);
  WORDS(NAMES, 0, 2, 1 << 30);
  WORDS(HELD, 1, 3, UINT32_MAX);
  WORDS(QUEUED, 1, 3, UINT32_MAX);
  NUMBERS(LAST_NUMBER, 0, 5, 6.5, LK_FOREVER);
  WORDS(HANDLE, 0, 2);
  WORDS(ID, 0, 2, UINT32_MAX);
  WORDS(NAME, 0, 2, 1u << 31 | 1);
  NUMBERS(FIRST + NUMBER, 0, 1, 2.5, 3, 6, 7);
  NUMBERS(FOURTH + NUMBER, 2, 4, 5, 7);
  NUMBERS(FIRST + FENCE, 0, 0.5, 2);
  NUMBERS(SECOND + FENCE, 1, 1.5, 3);
  NUMBERS(THIRD + FENCE, -0.0, 3);
  NUMBERS(FIRST + DEADLINE, 5);
  NUMBERS(SECOND + DEADLINE, 1, 9, 12, LK_FOREVER);
  NUMBERS(THIRD + DEADLINE, 1, 2.5, NAN, LK_NUMBER_MAX + 1);
  NUMBERS(FIRST + HOLD, -1, 5);
  NUMBERS(SECOND + HOLD, 9, 12, LK_FOREVER);
  NUMBERS(THIRD + HOLD, 0.5, -1, NAN, -0.0);
  WORDS(FIRST + CLIENT, 0, 2);
  WORDS(FIRST + MODE, 0, 2);
  WORDS(FOURTH + MODE, 2);
  WORDS(SECOND + LIMIT, 2);
  WORDS(FOURTH + LIMIT, 1);
  WORDS(FOURTH + NAME_COUNT, 0, 2);
  WORDS(FOURTH + PLACE, 1, UINT32_MAX);

  /* As it is it is restored; and with as few fences left as there are requests that wait for one. */
  CHECK(restore_with(TIME, &(double){1}, sizeof(double), &copy) == LK_OK);
  lk_destroy(copy);
  CHECK(restore_with(LAST_FENCE, &(double){LK_NUMBER_MAX - 2}, sizeof(double), &copy) == LK_OK);
  lk_destroy(copy);

  manager = create_manager(&host, 0);
  size = lk_snapshot(manager, snapshot, sizeof snapshot);
  lk_destroy(manager);
  NUMBERS(LAST_FENCE, -0.0, -1, 0.5, NAN, LK_NUMBER_MAX + 1);
  NUMBERS(TIME, -0.0);
}

/* Two held locks must agree in each of their names: here they do not in one, be it the first or the last. */
static void test_scopes(void) {
  enum { LONG_RECORD = RECORD + sizeof(uint32_t) };
  const char *const scopes[][2] = {{"a b", "a c"}, {"b a", "c a"}};
  for (size_t i = 0; i < 2; i++) {
    lk_manager *manager = create_manager(&host, 0), *copy;
    CHECK(apply(manager, join(1, "tab")) == LK_OK);
    CHECK(apply(manager, shared(1, 2, scopes[i][0])) == LK_OK && apply(manager, shared(1, 3, scopes[i][1])) == LK_OK);
    CHECK(lk_fence(manager) == 2);
    size = lk_snapshot(manager, snapshot, sizeof snapshot);
    memset(snapshot + size - 2 * LONG_RECORD + MODE, LK_EXCLUSIVE, sizeof(uint32_t));
    memset(snapshot + size - LONG_RECORD + MODE, LK_EXCLUSIVE, sizeof(uint32_t));
    CHECK(lk_restore(&host, snapshot, size, &copy) == LK_BAD_SNAPSHOT && !copy);
    lk_destroy(manager);
  }
}

/* A client's requests wait in the order of their numbers, each after the last one and not only after the first. */
static void test_order_of_arrival(void) {
  lk_manager *manager = create_manager(&host, 0), *copy;
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  for (double number = 2; number <= 5; number++) CHECK(apply(manager, request(1, number, "a")) == LK_OK);
  size = lk_snapshot(manager, snapshot, sizeof snapshot);
  CHECK(size == FOURTH + RECORD);
  memcpy(snapshot + THIRD + NUMBER, &(double){5}, sizeof(double));
  memcpy(snapshot + FOURTH + NUMBER, &(double){4}, sizeof(double));
  CHECK(lk_restore(&host, snapshot, size, &copy) == LK_BAD_SNAPSHOT && !copy);
  lk_destroy(manager);
}

/* With more names than its bytes can have, it is refused before there is any room for them. */
static void test_room_for_names(void) {
  lk_manager *manager = create_manager(&host, 0), *copy;
  CHECK(apply(manager, join(1, "tab")) == LK_OK && apply(manager, request(1, 2, "a")) == LK_OK);
  size = lk_snapshot(manager, snapshot, sizeof snapshot);
  lk_destroy(manager);
  size_t start = memory.allocations;
  manager = create_manager(&host, 0);
  size_t empty = memory.allocations - start;
  lk_destroy(manager);
  start = memory.allocations;
  CHECK(restore_with(NAMES, &(uint32_t){(uint32_t)(size - LAST_NUMBER) / 4 + 1}, sizeof(uint32_t), &copy) == LK_BAD_SNAPSHOT);
  CHECK(memory.allocations - start == empty);
}

/* Whether operations led to a state is not asked, if it is sound: here a request that came later holds what an earlier one waits for. */
static void test_unlikely_snapshots(void) {
  lk_manager *manager = create_manager(&host, 0), *copy;
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  CHECK(apply(manager, shared(1, 2, "a")) == LK_OK && apply(manager, shared(1, 3, "a")) == LK_OK);
  CHECK(apply(manager, request(1, 4, "a")) == LK_OK && had_events(manager, ""));
  uint8_t bytes[512];
  size_t size = lk_snapshot(manager, bytes, sizeof bytes);
  uint8_t *second = bytes + size - 2 * RECORD, *third = bytes + size - RECORD;
  memcpy(second, third, sizeof(double));
  memcpy(third, &(double){3}, sizeof(double));
  CHECK(lk_restore(&host, bytes, size, &copy) == LK_OK && !lk_find_fault(copy) && !lk_find_snapshot_fault(copy, &host));
  CHECK(apply(copy, drop(1, 5, 2)) == LK_OK && had_events(copy, "r1.2"));
  CHECK(apply(copy, drop(1, 6, 4)) == LK_OK && had_events(copy, "r1.4 g1.3"));
  lk_destroy(copy);
  lk_destroy(manager);
}

void test_forged_snapshots(void) {
  memory = (counts){.fail_at = SIZE_MAX};
  host = counting_allocator(&memory);
  test_values();
  test_scopes();
  test_order_of_arrival();
  test_room_for_names();
  test_unlikely_snapshots();
  CHECK(memory.blocks == 0);
}
