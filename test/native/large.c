/* Names of many megabytes: what they take together may be more than a size_t can say, and more than there is memory. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { UNITS = 1 << 24, WAITING = 129, MEGABYTE = 1 << 20 };

/* A name of UNITS code units that begins with [first], as operations and snapshots have it; the caller frees it. */
static uint16_t *long_name(uint16_t first) {
  uint16_t *name = malloc((UNITS + 2) * sizeof *name);
  CHECK(name);
  name[0] = UNITS & 0xFFFF;
  name[1] = UNITS >> 16;
  for (size_t i = 0; i < UNITS; i++) name[i + 2] = (uint16_t)(first + i);
  return name;
}

/* The snapshot of as many requests for "x" as are WAITING; there that name stands once, behind one member. The caller frees it. */
static uint8_t *snapshot_of_queue(const lk_host *host, size_t *size) {
  lk_manager *manager = create_manager(host, 0);
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  for (uint32_t i = 0; i < WAITING; i++) CHECK(apply(manager, request(1, i + 2, "x")) == LK_OK);
  *size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = malloc(*size);
  lk_snapshot(manager, bytes, *size);
  lk_destroy(manager);
  return bytes;
}

/* The same bytes with another name in the place of "x". The caller frees them. */
static uint8_t *with_name(const uint8_t *bytes, size_t *size, const uint16_t *name) {
  const size_t before = 40 + 8 + 4 + 4 + 3 * 2, old = 4 + 2, new = (UNITS + 2) * sizeof *name;
  CHECK(bytes[before] == 1 && bytes[before + 4] == 'x');
  uint8_t *result = malloc(*size - old + new);
  memcpy(result, bytes, before);
  memcpy(result + before, name, new);
  memcpy(result + before + new, bytes + before + old, *size - before - old);
  *size = *size - old + new;
  return result;
}

/* Counted once for each request, the name of these would take 2^32 bytes and some: with 32 bits, next to nothing. */
static void test_long_queue(void) {
  counts memory = {.fail_at = SIZE_MAX};
  lk_host host = counting_allocator(&memory);
  size_t size, room;
  uint8_t *queue = snapshot_of_queue(&host, &size);
  uint16_t *name = long_name('a');
  uint8_t *bytes = with_name(queue, &size, name);
  lk_manager *manager;
  CHECK(lk_restore(&host, bytes, size, &manager) == LK_OK && lk_request_count(manager) == WAITING);
  room = lk_snapshot(manager, NULL, 0);
  CHECK(room == size && room > UNITS * sizeof *name);
  uint8_t *again = malloc(room);
  memset(again, 0, room);
  CHECK(lk_snapshot(manager, again, room - 1) == room && again[0] == 0);
  CHECK(lk_snapshot(manager, again, room) == room && !memcmp(again, bytes, room));
  uint32_t hash = lk_hash(manager);

  /* Without memory for a copy, or in the middle of it, the one that is copied stays as it is. */
  for (size_t failing = 0; failing < 200; failing++) {
    lk_manager *copy;
    memory.fail_at = memory.allocations + failing;
    int status = lk_restore(&host, bytes, size, &copy);
    bool failed = memory.allocations > memory.fail_at;
    memory.fail_at = SIZE_MAX;
    CHECK(status == LK_OK || (failed && status == LK_OUT_OF_MEMORY && !copy));
    CHECK(status != LK_OK || lk_hash(copy) == hash);
    lk_destroy(copy);
    CHECK(lk_hash(manager) == hash);
    failing += failing > 8 ? 40 : 0; /* The name is hashed each time: that takes a while. */
  }
  CHECK(lk_apply(manager, &(lk_operation){.type = LK_DROP, .client = 1, .number = WAITING + 2, .request = 2}) == LK_OK);
  CHECK(had_events(manager, "r1.2 g1.3"));
  lk_destroy(manager);
  free(queue);
  free(name);
  free(bytes);
  free(again);
  CHECK(memory.blocks == 0);
}

static int ask(lk_manager *manager, const uint16_t *name) {
  lk_operation operation = request(1, lk_last_number(manager, 1) + 1, "");
  operation.name_count = 1;
  operation.names_length = UNITS + 2;
  operation.names = name;
  return lk_apply(manager, &operation);
}

/* Long names until there is no memory: the last one is refused, nothing is changed, and ended requests make room. */
static void test_full_memory(void) {
  counts memory = {.fail_at = SIZE_MAX, .most = 100 * MEGABYTE};
  lk_host host = counting_allocator(&memory);
  lk_manager *manager = create_manager(&host, 0);
  CHECK(apply(manager, join(1, "tab")) == LK_OK);
  uint16_t *names[5];
  for (uint16_t i = 0; i < 5; i++) names[i] = long_name(i);
  for (int i = 0; i < 3; i++) CHECK(ask(manager, names[i]) == LK_OK && had_events(manager, i == 0 ? "g1.2" : i == 1 ? "g1.3" : "g1.4"));
  uint32_t hash = lk_hash(manager);
  size_t size = lk_snapshot(manager, NULL, 0), bytes = memory.bytes;
  for (int i = 0; i < 2; i++) {
    CHECK(ask(manager, names[3]) == LK_OUT_OF_MEMORY && had_events(manager, ""));
    CHECK(lk_hash(manager) == hash && lk_snapshot(manager, NULL, 0) == size && memory.bytes == bytes);
  }
  CHECK(lk_apply(manager,
                 &(lk_operation){
                     .type = LK_FORCE_RELEASE, .client = 1, .number = 5, .name_count = 1, .names_length = UNITS + 2, .names = names[4]}) ==
        LK_OUT_OF_MEMORY);
  CHECK(lk_hash(manager) == hash && memory.bytes == bytes);
  CHECK(ask(manager, names[0]) == LK_OK && had_events(manager, "")); /* A name that is there needs no room. */
  lk_operation small = request(1, 6, "small"), end = drop(1, 7, 3);
  CHECK(lk_apply(manager, &small) == LK_OK && had_events(manager, "g1.6"));
  CHECK(lk_apply(manager, &end) == LK_OK && had_events(manager, "r1.3"));
  CHECK(ask(manager, names[3]) == LK_OK && had_events(manager, "g1.8"));
  for (int i = 0; i < 5; i++) free(names[i]);
  lk_destroy(manager);
  CHECK(memory.blocks == 0);
}

void test_large_names(void) {
  test_long_queue();
  test_full_memory();
}
