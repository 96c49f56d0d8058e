/* Memory from the host. */
#include "internal.h"

lk_manager *lk_allocate_manager(const lk_host *host) {
  lk_manager *manager = host->reallocate(host->user, NULL, 0, sizeof *manager);
  if (!manager) return NULL;
  __builtin_memset(manager, 0, sizeof *manager);
  manager->host = *host;
  return manager;
}

void *lk_allocate(lk_manager *manager, size_t size) {
  return manager->host.reallocate(manager->host.user, NULL, 0, size);
}

void lk_free(lk_manager *manager, void *memory, size_t size) {
  /* Copy the host: [memory] may be the manager itself. */
  lk_host host = manager->host;
  host.reallocate(host.user, memory, size, 0);
}
