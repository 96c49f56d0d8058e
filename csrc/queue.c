#include "internal.h"

void lk_emit(lk_manager *manager, uint32_t type, uint32_t client, double number, double fence) {
  lk_event *event = &manager->events[manager->event_count++];
  event->type = type;
  event->client = client;
  event->number = number;
  event->fence = fence;
}

/* Consecutive numbers of a client get neighbouring buckets, which the processor's cache likes. */
static uint32_t request_hash(uint32_t client, double number) {
  double shifted = number + 4503599627370496.0; /* 2^52: the units are the lowest bit of its mantissa. */
  uint32_t low;
  __builtin_memcpy(&low, &shifted, sizeof low);
  return client * 0x9E3779B1u + low;
}

lk_request *lk_find_request(const lk_manager *manager, uint32_t client, double number) {
  for (lk_node *node = lk_table_find(&manager->requests, request_hash(client, number)); node; node = lk_table_next(node)) {
    lk_request *request = LK_OWNER(lk_request, by_number, node);
    if (request->number == number && request->client == client) return request;
  }
  return NULL;
}

int lk_new_request(lk_manager *manager, lk_member *member, double number, uint32_t mode, double hold, uint32_t count) {
  if (mode > LK_SHARED || !lk_is_duration(hold)) return LK_INVALID;
  int status = lk_touch_names(manager, count);
  if (status) return status;
  if (!lk_reserve(manager)) return LK_OUT_OF_MEMORY;
  lk_request *request = lk_allocate(manager, sizeof *request + (size_t)count * sizeof(lk_link));
  if (!request) return LK_OUT_OF_MEMORY;
  lk_list_begin(&request->in_member);
  lk_list_begin(&request->in_all);
  request->member = member;
  request->client = member->handle;
  request->number = number;
  request->mode = mode;
  request->hold = hold + 0.0; /* No negative zero: equal states, equal bytes. */
  request->due = 0;
  request->term = 0;
  request->link_count = count;
  lk_list *item = &manager->touched;
  for (uint32_t i = 0; i < count; i++) {
    lk_link *link = &request->links[i];
    item = item->next;
    link->request = request;
    link->resource = LK_OWNER(lk_resource, touched, item);
    lk_list_begin(&link->place);
  }
  manager->new_request = request;
  return LK_OK;
}

/* Moves [request] to the end of the lists of its state, gives it the deadline of that state, and counts its new hash. */
static void enter(lk_manager *manager, lk_request *request, double fence, double deadline) {
  lk_member *member = request->member;
  lk_list_remove(&request->in_member);
  lk_list_remove(&request->in_all);
  lk_list_append(fence ? &member->held : &member->queued, &request->in_member);
  lk_list_append(fence ? &manager->held : &manager->queued, &request->in_all);
  lk_deadline_remove(manager, request);
  request->fence = fence;
  request->deadline = deadline;
  if (deadline != LK_FOREVER) lk_deadline_add(manager, request);
  manager->sum -= request->term;
  request->term = lk_mix(lk_mix(request->seed, fence), deadline);
  manager->sum += request->term;
}

void lk_add_request(lk_manager *manager, lk_request *request, double fence, double deadline) {
  uint32_t seed = 0;
  for (uint32_t i = 0; i < request->link_count; i++) seed += lk_resource_hash(request->links[i].resource);
  request->seed = lk_mix(lk_mix(lk_mix(2 ^ seed, request->client), request->number), request->mode);
  lk_table_insert(&manager->requests, manager, &request->by_number, request_hash(request->client, request->number));
  enter(manager, request, fence, deadline);
}

void lk_enqueue(lk_manager *manager, lk_request *request, double deadline) {
  request->blocked = request->link_count;
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_resource *resource = link->resource;
    lk_list_append(&resource->queue, &link->place);
    if (resource->frontier == &resource->queue) resource->frontier = &link->place;
  }
  lk_add_request(manager, request, 0, deadline);
}

/* Whether [request] may be held together with, or wait ready behind, the one whose link is [place]; or [place] is the list's end. */
static bool gets_along(const lk_request *request, const lk_list *list, lk_list *place) {
  return place == list || (request->mode & LK_OWNER(lk_link, place, place)->request->mode) == LK_SHARED;
}

bool lk_hold_links(lk_request *request) {
  bool compatible = true;
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_list *held = &link->resource->held;
    compatible &= gets_along(request, held, held->next);
    lk_list_remove(&link->place);
    lk_list_append(held, &link->place);
  }
  return compatible;
}

void lk_grant(lk_manager *manager, lk_request *request) {
  lk_hold_links(request);
  enter(manager, request, ++manager->fence, manager->time + request->hold);
  lk_emit(manager, LK_GRANTED, request->client, request->number, request->fence);
}

void lk_end_request(lk_manager *manager, lk_request *request, uint32_t type) {
  lk_emit(manager, type, request->client, request->number, 0);
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_resource *resource = link->resource;
    if (resource->frontier == &link->place) resource->frontier = link->place.next;
    lk_list_remove(&link->place);
    lk_touch(manager, resource);
  }
  lk_list_remove(&request->in_member);
  lk_list_remove(&request->in_all);
  lk_deadline_remove(manager, request);
  lk_table_remove(&manager->requests, &request->by_number);
  manager->sum -= request->term;
  lk_free(manager, request, sizeof *request + (size_t)request->link_count * sizeof(lk_link));
}

void lk_break_held(lk_manager *manager, lk_resource *resource) {
  lk_list *held = &resource->held;
  while (!lk_list_empty(held)) lk_end_request(manager, LK_OWNER(lk_link, place, held->next)->request, LK_BROKEN);
}

void lk_block_queue(lk_resource *resource) {
  lk_list *first = resource->queue.next;
  for (lk_list *place = first; place != resource->frontier; place = place->next) LK_OWNER(lk_link, place, place)->request->blocked++;
  resource->frontier = first;
}

/*
 * Moves the frontier as far as it goes. A request that is granted on the way leaves the queues of its other names too, but that
 * makes nothing eligible there: it was in their way and still is, as it is held now.
 */
static void process(lk_manager *manager, lk_resource *resource) {
  while (resource->frontier != &resource->queue) {
    lk_list *place = resource->frontier;
    lk_request *request = LK_OWNER(lk_link, place, place)->request;
    if (!gets_along(request, &resource->held, resource->held.next) || !gets_along(request, &resource->queue, place->previous)) break;
    resource->frontier = place->next;
    if (!--request->blocked) lk_grant(manager, request);
  }
  if (lk_list_empty(&resource->queue) && lk_list_empty(&resource->held)) lk_free_resource(manager, resource);
}

void lk_process_touched(lk_manager *manager) {
  while (!lk_list_empty(&manager->touched)) {
    lk_resource *resource = LK_OWNER(lk_resource, touched, manager->touched.next);
    lk_list_remove(&resource->touched);
    process(manager, resource);
  }
}
