/* Memory from the allocator that the manager was given. */
#include "internal.h"

lk_manager *lk_allocate_manager(const lk_allocator *allocator) {
  lk_manager *manager = allocator->reallocate(allocator->user, NULL, 0, sizeof *manager);
  if (!manager) return NULL;
  __builtin_memset(manager, 0, sizeof *manager);
  manager->allocator = *allocator;
  return manager;
}

void *lk_allocate(lk_manager *manager, size_t size) {
  return manager->allocator.reallocate(manager->allocator.user, NULL, 0, size);
}

void lk_free(lk_manager *manager, void *memory, size_t size) {
  /* The manager may be what is freed. */
  lk_allocator allocator = manager->allocator;
  allocator.reallocate(allocator.user, memory, size, 0);
}
