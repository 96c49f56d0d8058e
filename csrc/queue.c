#include "internal.h"

void lk_emit(lk_manager *manager, uint32_t type, uint32_t client, double number, double fence) {
  LK_ASSERT(manager->event_count < 2 * manager->capacity);
  lk_event *event = &manager->events[manager->event_count++];
  event->type = type;
  event->client = client;
  event->number = number;
  event->fence = fence;
}

/*
 * Consecutive numbers of a client get neighbouring buckets, which suits the processor's cache. But a client decides which of its requests
 * stay, and their numbers may have the same low bits. So each RUN of numbers is rotated within its buckets, by a distance that depends on
 * the seed.
 */
static uint32_t request_hash(const lk_member *member, double number) {
  enum { RUN = 4096 };
  double shifted = number + 4503599627370496.0; /* 2^52: the units are the lowest bit of its mantissa. */
  uint32_t low;
  __builtin_memcpy(&low, &shifted, sizeof low);
  uint32_t turned = low + lk_mix(member->first_hash, low / RUN);
  return member->first_hash + low / RUN * RUN + turned % RUN;
}

lk_request *lk_find_request(const lk_manager *manager, const lk_member *member, double number) {
  for (lk_node *node = lk_table_find(&manager->requests, request_hash(member, number)); node; node = lk_table_next(node)) {
    lk_request *request = LK_OWNER(lk_request, by_number, node);
    if (request->number == number && request->member == member) return request;
  }
  return NULL;
}

/* The part of the hash that does not depend on the request's state. */
static uint32_t fixed_term(const lk_request *request) {
  uint32_t hash = lk_mix(lk_mix(lk_mix(request->client, request->number), request->hold), request->mode);
  hash = lk_mix(hash, request->limit);
  for (uint32_t i = 0; i < request->link_count; i++) hash = lk_mix(hash, request->links[i].resource->name.content);
  return hash;
}

lk_request *lk_new_request(lk_manager *manager, lk_member *member, double number, uint32_t mode, uint32_t limit, double hold,
                           uint32_t count) {
  if (!lk_reserve(manager)) return NULL;
  /* This size cannot overflow: the links take fewer bytes than their resources, which exist. */
  lk_request *request = lk_allocate(manager, sizeof *request + (size_t)count * sizeof(lk_link));
  if (!request) return NULL;
  lk_list_begin(&request->in_member);
  lk_list_begin(&request->parked);
  request->member = member;
  request->client = member->handle;
  request->number = number;
  request->mode = mode;
  request->limit = limit;
  request->hold = hold + 0.0; /* No negative zero, so that equal states have equal bytes. */
  request->arrival = manager->arrivals++;
  request->heap_place = 0;
  request->watched = 0;
  request->held = false;
  request->link_count = count;
  lk_list *item = &manager->touched;
  for (uint32_t i = 0; i < count; i++) {
    lk_link *link = &request->links[i];
    item = item->next;
    link->request = request;
    link->resource = LK_OWNER(lk_resource, touched, item);
    link->admitted = false;
    lk_list_begin(&link->place);
  }
  LK_ASSERT(item->next == &manager->touched);
  request->fixed_term = fixed_term(request);
  lk_table_insert(&manager->requests, manager, &request->by_number, request_hash(member, number));
  return request;
}

/* Removes [request] from the lists of its state, if it is in any. */
static void leave(lk_manager *manager, lk_request *request) {
  if (lk_list_empty(&request->in_member)) return;
  lk_list_remove(&request->in_member);
  lk_ordered_remove(manager, &request->in_all);
  lk_deadline_remove(manager, request);
}

/* Puts [request] into the lists of its state. */
static void enter(lk_manager *manager, lk_request *request, double fence, double deadline) {
  lk_member *member = request->member;
  request->fence = fence;
  request->deadline = deadline;
  request->in_all.term = lk_mix(lk_mix(request->fixed_term, fence), deadline);
  lk_list_append(request->held ? &member->held : &member->queued, &request->in_member);
  lk_ordered_append(manager, request->held ? &manager->held : &manager->queued, &request->in_all);
  if (deadline != LK_FOREVER) lk_deadline_add(manager, request);
}

/* How many requests may hold a name at once, [request] included. */
static uint32_t limit_of(const lk_request *request) {
  return request->mode == LK_EXCLUSIVE ? 1 : request->limit ? request->limit : UINT32_MAX;
}

/* Whether [request] agrees with all admitted requests. These have the same limit, so checking the last one is enough. */
static bool agrees(const lk_resource *resource, const lk_request *request) {
  if (!resource->admitted) return true;
  const lk_list *last = resource->frontier->previous == &resource->queue ? resource->held.previous : resource->frontier->previous;
  uint32_t limit = limit_of(request);
  return limit == limit_of(LK_OWNER(const lk_link, place, last)->request) && resource->admitted < limit;
}

void lk_enqueue(lk_manager *manager, lk_request *request, double deadline) {
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_resource *resource = link->resource;
    lk_list_append(&resource->queue, &link->place);
    if (resource->frontier == &resource->queue) resource->frontier = &link->place;
  }
  enter(manager, request, 0, deadline);
}

bool lk_hold(lk_manager *manager, lk_request *request, double fence, double deadline) {
  bool agreed = true;
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_resource *resource = link->resource;
    if (!link->admitted) {
      agreed &= agrees(resource, request);
      link->admitted = true;
      resource->admitted++;
    }
    lk_list_remove(&link->place);
    lk_list_append(&resource->held, &link->place);
  }
  leave(manager, request);
  request->held = true;
  enter(manager, request, fence, deadline);
  return agreed;
}

void lk_grant(lk_manager *manager, lk_request *request) {
  double deadline = manager->time + request->hold;
  /* It was valid when the request was made, and is too late to come now. */
  if (!lk_is_duration(deadline)) deadline = LK_FOREVER;
  lk_hold(manager, request, ++manager->fence, deadline);
  lk_emit(manager, LK_GRANTED, request->client, request->number, request->fence);
}

void lk_end_request(lk_manager *manager, lk_request *request, uint32_t type) {
  lk_emit(manager, type, request->client, request->number, 0);
  for (uint32_t i = 0; i < request->link_count; i++) {
    lk_link *link = &request->links[i];
    lk_resource *resource = link->resource;
    if (resource->frontier == &link->place) resource->frontier = link->place.next;
    if (link->admitted) resource->admitted--;
    lk_list_remove(&link->place);
    lk_touch(manager, resource);
  }
  lk_list_remove(&request->parked);
  leave(manager, request);
  lk_table_remove(&manager->requests, &request->by_number);
  lk_free(manager, request, sizeof *request + (size_t)request->link_count * sizeof(lk_link));
}

void lk_break_held(lk_manager *manager, lk_resource *resource) {
  lk_list *held = &resource->held;
  while (!lk_list_empty(held)) lk_end_request(manager, LK_OWNER(lk_link, place, held->next)->request, LK_BROKEN);
}

/* The watched name no longer keeps [request] waiting: watches another one that does, or grants the request. */
static void advance(lk_manager *manager, lk_request *request) {
  for (uint32_t others = request->link_count - 1; others; others--) {
    request->watched = request->watched + 1 < request->link_count ? request->watched + 1 : 0;
    lk_link *link = &request->links[request->watched];
    if (!link->admitted) return;
    if (link->resource->closed) {
      lk_list_append(&link->resource->parked, &request->parked);
      return;
    }
  }
  lk_grant(manager, request);
}

static lk_list *skip(lk_list *item, size_t count, const lk_list *end) {
  while (count-- && item != end) item = item->next;
  return item;
}

static double arrival(const lk_list *parked) {
  return LK_OWNER(const lk_request, parked, parked)->arrival;
}

/* Sorts by arrival. It merges runs of one to runs of two, those to runs of four, and so on. */
static void sort(lk_list *list) {
  bool merged = true;
  for (size_t length = 1; merged; length *= 2) {
    merged = false;
    for (lk_list *left = list->next; left != list;) {
      lk_list *right = skip(left, length, list);
      lk_list *end = skip(right, length, list);
      if (right != list) merged = true;
      while (left != right && right != end) {
        if (arrival(right) < arrival(left)) {
          lk_list *item = right;
          right = right->next;
          lk_list_remove(item);
          lk_list_append(left, item);
        } else {
          left = left->next;
        }
      }
      left = end;
    }
  }
}

/*
 * Moves the frontier as far as possible. A request that is granted meanwhile leaves the queues of its other names, too. That changes
 * nothing there, since it was and stays admitted.
 */
static void process(lk_manager *manager, lk_resource *resource) {
  lk_list *queue = &resource->queue, *held = &resource->held, *parked = &resource->parked;
  if (resource->closed && lk_list_empty(held)) {
    resource->closed = false;
    sort(parked);
    while (!lk_list_empty(parked)) {
      lk_request *request = LK_OWNER(lk_request, parked, parked->next);
      lk_list_remove(&request->parked);
      advance(manager, request);
    }
  }
  while (resource->frontier != queue && !resource->closed) {
    lk_link *link = LK_OWNER(lk_link, place, resource->frontier);
    lk_request *request = link->request;
    if (!agrees(resource, request)) break;
    resource->frontier = link->place.next;
    resource->admitted++;
    link->admitted = true;
    if (&request->links[request->watched] == link) advance(manager, request);
  }
  if (lk_list_empty(queue) && lk_list_empty(held)) lk_free_resource(manager, resource);
}

void lk_process_touched(lk_manager *manager) {
  while (!lk_list_empty(&manager->touched)) {
    lk_resource *resource = LK_OWNER(lk_resource, touched, manager->touched.next);
    lk_list_remove(&resource->touched);
    process(manager, resource);
  }
}
