/*
 * Random or changed snapshots: what is accepted must be sound, and the only bytes of its state. Now and then an
 * allocation fails.
 */
#include "stream.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_restoring(counts *memory, uint8_t failing, const uint8_t *bytes, size_t size) {
  lk_host host = counting_allocator(memory);
  lk_manager *manager;
  memory->fail_every = failing % 8;
  int status = lk_restore(&host, bytes, size, &manager);
  memory->fail_every = 0;
  if (status == LK_OUT_OF_MEMORY && failing % 8 == 0) stop_at("out of memory, and none has failed");
  if (status) {
    if (manager) stop_at("a manager in spite of a failure");
    return;
  }
  stop_at(lk_find_fault(manager));
  uint8_t *again = malloc(size);
  if (lk_snapshot(manager, again, size) != size || memcmp(bytes, again, size)) stop_at("two snapshots of one state");
  free(again);
  /* Everything ends well from here. */
  for (uint32_t client = 1; lk_request_count(manager) && client < 64; client++) {
    lk_operation gone = {.type = LK_GONE, .client = client};
    lk_apply(manager, &gone);
    stop_at(lk_find_fault(manager));
  }
  lk_destroy(manager);
}

/* The first byte says how: the bytes as they are, or operations and then changes to their snapshot. The second one: what fails. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  counts memory = {.fail_at = SIZE_MAX};
  lk_host host = counting_allocator(&memory);
  stream stream = {.at = data, .left = size};
  uint8_t operations = next_byte(&stream), failing = next_byte(&stream);
  if (operations == 0) {
    try_restoring(&memory, failing, stream.at, stream.left);
  } else {
    lk_manager *manager = begin_stream(&host);
    for (; operations && stream.left; operations--) {
      lk_operation operation = next_operation(&stream, manager);
      lk_apply(manager, &operation);
    }
    size_t length = lk_snapshot(manager, NULL, 0);
    uint8_t *bytes = malloc(length);
    lk_snapshot(manager, bytes, length);
    lk_destroy(manager);
    while (stream.left > 2) {
      size_t place = next_byte(&stream);
      place = (place << 8 | next_byte(&stream)) % length;
      bytes[place] = next_byte(&stream);
    }
    try_restoring(&memory, failing, bytes, length);
    free(bytes);
  }
  if (memory.blocks) stop_at("memory is left over");
  return 0;
}
