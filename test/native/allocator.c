#include "allocator.h"
#include <stdio.h>
#include <stdlib.h>

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size) {
  counts *count = user;
  if (memory) {
    size_t *block = (size_t *)memory - 2;
    if (new_size || block[0] != old_size) {
      fprintf(stderr, "freed with %zu bytes, allocated with %zu\n", old_size, block[0]);
      abort();
    }
    count->blocks--;
    count->bytes -= old_size;
    free(block);
    return NULL;
  }
  if (old_size) {
    fprintf(stderr, "nothing is resized, but with %zu bytes\n", old_size);
    abort();
  }
  size_t place = count->allocations++;
  if (count->most && (count->bytes > count->most || new_size > count->most - count->bytes)) return NULL;
  if (place == count->fail_at || (count->fail_every && place % count->fail_every == 0)) return NULL;
  size_t *block = malloc(new_size + 2 * sizeof(size_t));
  if (!block) abort();
  block[0] = new_size;
  count->blocks++;
  count->bytes += new_size;
  return block + 2;
}

lk_host counting_allocator(counts *counts) {
  return (lk_host){reallocate, counts, 12345};
}

lk_manager *create_manager(const lk_host *host, double fence) {
  lk_manager *manager;
  lk_create(host, fence, &manager);
  return manager;
}
