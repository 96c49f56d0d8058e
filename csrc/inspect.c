/* The functions that read a manager's state. */
#include "internal.h"

const lk_event *lk_events(const lk_manager *manager, size_t *count) {
  *count = manager->event_count;
  return manager->events;
}

double lk_time(const lk_manager *manager) {
  return manager->time;
}

double lk_fence(const lk_manager *manager) {
  return manager->fence;
}

double lk_next_deadline(const lk_manager *manager) {
  return manager->deadline_count ? manager->deadlines[0]->deadline : LK_FOREVER;
}

uint32_t lk_next_client(const lk_manager *manager, uint32_t previous) {
  const lk_list *next = manager->members.next;
  if (previous) {
    const lk_member *member = lk_find_member(manager, previous);
    next = member ? member->joined.next : &manager->members;
  }
  return next == &manager->members ? 0 : LK_OWNER(const lk_member, joined, next)->handle;
}

size_t lk_request_count(const lk_manager *manager) {
  return manager->requests.count;
}

bool lk_is_undisputed(const lk_manager *manager, uint32_t client, double number) {
  const lk_member *member = lk_find_member(manager, client);
  const lk_request *request = member ? lk_find_request(manager, member, number) : NULL;
  if (!request || !request->held) return false;
  for (uint32_t i = 0; i < request->link_count; i++) {
    if (!lk_list_empty(&request->links[i].resource->queue)) return false;
  }
  return true;
}

static bool has_other(const lk_list *links, uint32_t client) {
  for (const lk_list *item = links->next; item != links; item = item->next) {
    if (LK_OWNER(const lk_link, place, item)->request->client != client) return true;
  }
  return false;
}

lk_use lk_use_by_others(const lk_manager *manager, uint32_t client, const uint16_t *names, uint32_t names_length) {
  lk_reader reader = {(const uint8_t *)names, (size_t)names_length * sizeof *names};
  lk_use use = LK_UNUSED;
  for (lk_name name; (name = lk_read_name(&reader));) {
    const lk_resource *resource = lk_find_resource(manager, name);
    if (!resource) continue;
    if (has_other(&resource->held, client)) return LK_HELD;
    if (has_other(&resource->queue, client)) use = LK_AWAITED;
  }
  return use;
}

const lk_request *lk_next_request(const lk_manager *manager, const lk_request *previous) {
  const lk_list *held = &manager->held.place, *queued = &manager->queued.place;
  const lk_list *next = previous ? previous->in_all.place.next : held->next;
  if (next == held) next = queued->next;
  return next == queued ? NULL : LK_OWNER(const lk_request, in_all.place, next);
}

lk_request_state lk_describe_request(const lk_request *request) {
  return (lk_request_state){request->client, request->mode,  request->limit,    request->link_count,
                            request->number, request->fence, request->deadline, request->hold};
}

static uint32_t copy_name(lk_name name, uint16_t *units, uint32_t capacity) {
  uint32_t length = lk_name_length(name);
  if (length && length <= capacity) __builtin_memcpy(units, name + sizeof length, (size_t)length * sizeof *units);
  return length;
}

uint32_t lk_request_name(const lk_request *request, uint32_t place, uint16_t *units, uint32_t capacity) {
  LK_ASSERT(place < request->link_count);
  return copy_name(request->links[place].resource->name.name, units, capacity);
}

uint32_t lk_client_id(const lk_manager *manager, uint32_t client, uint16_t *units, uint32_t capacity) {
  const lk_member *member = lk_find_member(manager, client);
  return member ? copy_name(member->id.name, units, capacity) : 0;
}

const char *lk_status_name(int status) {
  switch (status) {
  case LK_OK:
    return "ok";
  case LK_STALE:
    return "stale";
  case LK_REFUSED:
    return "refused";
  case LK_NO_FENCE:
    return "no-fence";
  case LK_OUT_OF_MEMORY:
    return "out-of-memory";
  case LK_INVALID:
    return "invalid";
  case LK_UNKNOWN_CLIENT:
    return "unknown-client";
  case LK_DUPLICATE:
    return "duplicate";
  case LK_GAP:
    return "gap";
  case LK_BAD_SNAPSHOT:
    return "bad-snapshot";
  case LK_NO_HANDLE:
    return "no-handle";
  default:
    return NULL;
  }
}
