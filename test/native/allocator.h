/* An allocator for tests: it checks the sizes that it is told, counts what is in use, and fails when it is told to. */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include "lockkeeper.h"

typedef struct counts {
  size_t blocks;      /* In use. */
  size_t bytes;       /* In use. */
  size_t allocations; /* So far. */
  size_t fail_at;     /* Which allocation fails, counted as [allocations] is; SIZE_MAX: none. */
  size_t fail_every;  /* Besides, each so manieth fails; 0: none. */
  size_t most;        /* So many bytes may be in use; 0: any number. */
} counts;

/* An empty manager, or NULL. */
lk_manager *create_manager(const lk_host *host, double fence);

/* Counts in [*counts], which must outlive what uses it. */
lk_host counting_allocator(counts *counts);

#endif
