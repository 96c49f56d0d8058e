/* Streams of operations, with all invariants checked after each of them; now and then an allocation fails. */
#include "stream.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  counts memory = {.fail_at = SIZE_MAX};
  lk_host host = counting_allocator(&memory);
  lk_manager *manager = begin_stream(&host);
  stream stream = {.at = data, .left = size};
  uint8_t failing = next_byte(&stream);
  while (stream.left) {
    uint32_t hash = lk_hash(manager);
    lk_operation operation = next_operation(&stream, manager);
    memory.fail_every = failing % 8;
    int status = lk_apply(manager, &operation);
    memory.fail_every = 0;
    size_t count;
    lk_events(manager, &count);
    if (status < 0 && (count || lk_hash(manager) != hash)) stop_at("a refused operation did something");
    stop_at(lk_find_fault(manager));
    stop_at(lk_find_snapshot_fault(manager, &host));
  }
  lk_destroy(manager);
  if (memory.blocks) stop_at("memory is left over");
  return 0;
}
