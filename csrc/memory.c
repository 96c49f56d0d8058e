#include "internal.h"

static size_t event_room(size_t capacity) {
  return (2 * capacity + 2) * sizeof(lk_event);
}

void lk_unreserve(lk_manager *manager) {
  lk_free(manager, manager->events, event_room(manager->capacity) + manager->capacity * sizeof(lk_request *));
}

bool lk_reserve(lk_manager *manager) {
  if (manager->requests.count < manager->capacity) return true;
  size_t capacity = manager->capacity * 2 + 8;
  lk_event *events = lk_allocate(manager, event_room(capacity) + capacity * sizeof(lk_request *));
  if (!events) return false;
  lk_request **deadlines = (lk_request **)(void *)((uint8_t *)events + event_room(capacity));
  if (manager->events) {
    __builtin_memcpy(deadlines, manager->deadlines, manager->deadline_count * sizeof(lk_request *));
    lk_unreserve(manager);
  }
  manager->capacity = capacity;
  manager->events = events;
  manager->deadlines = deadlines;
  return true;
}
