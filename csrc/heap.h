/*
 * The allocator of the core in Wasm. Block sizes are powers of two, and each size has a list of free blocks. A freed block is used again
 * for the same size.
 */
#ifndef LK_HEAP_H
#define LK_HEAP_H

#include <stddef.h>

/* The exponents of the least and the greatest size. */
enum { HEAP_LEAST = 4, HEAP_GREATEST = 30 };

typedef struct heap_block {
  struct heap_block *next;
} heap_block;

typedef struct heap {
  heap_block *freed[HEAP_GREATEST + 1];
} heap;

/* Takes [size] more bytes from the end of the memory; NULL if there are too few. Aligned for anything if all sizes are. Each file that
 * includes this one defines it. */
static void *heap_extend(size_t size);

static unsigned heap_exponent(size_t size) {
  return 32 - (unsigned)__builtin_clz((unsigned)(size - 1) | ((1u << HEAP_LEAST) - 1));
}

static void *heap_allocate(heap *heap, size_t size) {
  unsigned exponent = heap_exponent(size);
  if (exponent > HEAP_GREATEST) return NULL;
  heap_block *block = heap->freed[exponent];
  if (!block) return heap_extend((size_t)1 << exponent);
  heap->freed[exponent] = block->next;
  return block;
}

static void heap_free(heap *heap, void *memory, size_t size) {
  heap_block **list = &heap->freed[heap_exponent(size)];
  heap_block *block = memory;
  block->next = *list;
  *list = block;
}

#endif
