/* The allocator of csrc/wasm.c, over a memory that is soon used up: blocks never overlap, and what was freed is used again. */
#include "heap.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 1 << 20, BLOCKS = 256 };

static _Alignas(16) uint8_t memory[MEMORY];
static size_t used;

static void *heap_extend(size_t size) {
  if (size > MEMORY - used) return NULL;
  used += size;
  return memory + used - size;
}

typedef struct block {
  uint8_t *memory;
  size_t size;
  uint8_t mark;
} block;

static void demand(int condition, const char *fault) {
  if (condition) return;
  fprintf(stderr, "%s\n", fault);
  abort();
}

/* How much there can be in use at most, of one size, is what there is room for. */
static void release(heap *heap, block *block) {
  for (size_t i = 0; i < block->size; i++) demand(block->memory[i] == block->mark, "two blocks overlap");
  heap_free(heap, block->memory, block->size);
  block->memory = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heap heap = {0};
  block blocks[BLOCKS] = {0};
  used = 0;
  for (size_t i = 0; i + 2 < size; i += 3) {
    block *block = &blocks[data[i]];
    if (block->memory) release(&heap, block);
    /* All sizes from 1 byte to beyond the greatest that there is. */
    size_t wanted = ((size_t)1 << data[i + 1] % 32) + data[i + 2];
    size_t before = used;
    block->memory = heap_allocate(&heap, wanted);
    if (!block->memory) {
      demand(used == before && wanted > (MEMORY - used) / 2, "no block in spite of room");
      continue;
    }
    demand((uintptr_t)block->memory % 16 == 0, "a block is not aligned");
    demand(block->memory >= memory && block->memory + wanted <= memory + used, "a block is outside the memory");
    block->size = wanted;
    block->mark = (uint8_t)(i / 3 + 1);
    memset(block->memory, block->mark, wanted);
    /* Given back and asked for again, it is the same one. */
    heap_free(&heap, block->memory, wanted);
    demand(heap_allocate(&heap, wanted) == block->memory, "what was freed is not used again");
    memset(block->memory, block->mark, wanted);
  }
  for (size_t i = 0; i < BLOCKS; i++) {
    if (blocks[i].memory) release(&heap, &blocks[i]);
  }
  return 0;
}
