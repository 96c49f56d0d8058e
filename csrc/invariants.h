/* For tests: the invariants between two operations. Not part of the library. */
#ifndef LK_INVARIANTS_H
#define LK_INVARIANTS_H

#include "lockkeeper.h"

/* Returns NULL, or what is wrong with [manager]. It recomputes everything, so it is slow. */
const char *lk_find_fault(const lk_manager *manager);

/* The same for a snapshot: restored by [host] with another seed, it must give the same bytes and hash. */
const char *lk_find_snapshot_fault(const lk_manager *manager, const lk_host *host);

#endif
