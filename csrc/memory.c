#include "internal.h"

/* Deadlines, then events: each request can be granted and end, at the latest with the manager. A join grants nothing, so its event fits,
   too. */
static size_t room(size_t capacity) {
  return capacity * sizeof(lk_request *) + 2 * capacity * sizeof(lk_event);
}

void lk_unreserve(lk_manager *manager) {
  lk_free(manager, manager->deadlines, room(manager->capacity));
}

bool lk_reserve(lk_manager *manager) {
  size_t count = manager->requests.count;
  bool enough = count < manager->capacity;
  if (enough && manager->capacity / 16 <= count + 1) return true;
  size_t capacity = count * 2 + 8; /* Even, so that the events are aligned. */
  lk_request **deadlines = lk_allocate(manager, room(capacity));
  if (!deadlines) return enough;
  if (manager->deadlines) {
    __builtin_memcpy(deadlines, manager->deadlines, manager->deadline_count * sizeof(lk_request *));
    lk_unreserve(manager);
  }
  manager->capacity = capacity;
  manager->deadlines = deadlines;
  manager->events = (lk_event *)(void *)(deadlines + capacity);
  return true;
}
