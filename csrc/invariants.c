#include "invariants.h"
#include "internal.h"

/* The findings of one check. */
typedef struct survey {
  const char *fault;
  size_t resources;
  size_t requests;
  size_t members;
  size_t deadlines;
  uint32_t sum;
} survey;

static void demand(survey *seen, bool condition, const char *fault) {
  if (!condition && !seen->fault) seen->fault = fault;
}

static size_t length_of(const lk_list *list) {
  size_t length = 0;
  for (const lk_list *item = list->next; item != list; item = item->next) length++;
  return length;
}

static uint32_t limit_of(const lk_request *request) {
  return request->mode == LK_EXCLUSIVE ? 1 : request->limit ? request->limit : UINT32_MAX;
}

/* Whether the request of [link], queued or held, agrees with all held and all earlier requests for its name. Computed from these alone. */
static bool agrees(const lk_link *link) {
  const lk_resource *resource = link->resource;
  uint32_t limit = limit_of(link->request);
  size_t count = 1;
  for (const lk_list *item = resource->held.next; item != &resource->held; item = item->next) {
    if (LK_OWNER(lk_link, place, item)->request == link->request) return count <= limit;
    if (limit_of(LK_OWNER(lk_link, place, item)->request) != limit) return false;
    count++;
  }
  for (const lk_list *item = resource->queue.next; item != &link->place; item = item->next) {
    if (limit_of(LK_OWNER(lk_link, place, item)->request) != limit) return false;
    count++;
  }
  return count <= limit;
}

static void check_resource(survey *seen, const lk_manager *manager, const lk_resource *resource) {
  seen->resources++;
  demand(seen, lk_name_hash(manager->host.seed, resource->name.name) == resource->name.by_name.hash, "a name has another hash");
  demand(seen, lk_name_hash(0, resource->name.name) == resource->name.content, "a name has another content");
  demand(seen, lk_list_empty(&resource->touched), "a resource is still touched");
  demand(seen, !lk_list_empty(&resource->held) || !lk_list_empty(&resource->queue), "a resource is unused");
  demand(seen, !resource->closed || length_of(&resource->held) == 1, "a name is closed, but not stolen");
  demand(seen, resource->closed || lk_list_empty(&resource->parked), "a request waits for a name to open that is open");
  size_t admitted = 0;
  double fence = 0;
  for (const lk_list *item = resource->held.next; item != &resource->held; item = item->next) {
    const lk_link *link = LK_OWNER(const lk_link, place, item);
    demand(seen, link->resource == resource && link->request->held && link->admitted, "a held link is not, or another name's");
    demand(seen, link->request->fence > fence, "held locks of a name are not in the order of their grants");
    demand(seen, agrees(link), "locks are held that do not agree");
    fence = link->request->fence;
    admitted++;
  }
  double arrival = -1;
  bool before = true;
  for (const lk_list *item = resource->queue.next; item != &resource->queue; item = item->next) {
    const lk_link *link = LK_OWNER(const lk_link, place, item);
    demand(seen, link->resource == resource && !link->request->held, "a queued link is held, or another name's");
    demand(seen, link->request->arrival > arrival, "a queue is not in the order of arrival");
    arrival = link->request->arrival;
    if (item == resource->frontier) before = false;
    demand(seen, before == link->admitted, "the frontier is not where admission ends");
    demand(seen, resource->closed || before == agrees(link), "what is admitted does not agree, or what is not does");
    if (before) admitted++;
  }
  demand(seen, !before || resource->frontier == &resource->queue, "the frontier is outside the queue");
  demand(seen, admitted == resource->admitted, "what is admitted is miscounted");
}

/* The name that a queued request watches keeps it waiting. The request is parked there if it waits for that name to open. */
static void check_waiting(survey *seen, const lk_request *request) {
  const lk_link *watched = &request->links[request->watched];
  demand(seen, !watched->admitted || watched->resource->closed, "a request could be granted, or watches the wrong name");
  demand(seen, watched->admitted == !lk_list_empty(&request->parked), "a request is parked, or should be");
}

static void check_request(survey *seen, const lk_manager *manager, const lk_request *request, bool held) {
  seen->requests++;
  demand(seen, request->held == held && (request->fence > 0) == held && request->fence <= manager->fence, "a fence is wrong");
  demand(seen, lk_find_request(manager, request->member, request->number) == request, "a request is not found by its number");
  demand(seen, request->client == request->member->handle, "a request is another client's");
  demand(seen, request->number <= request->member->last, "a request is newer than its client's last operation");
  demand(seen, request->deadline > manager->time && lk_is_duration(request->deadline), "a deadline is over, or none");
  if (request->deadline < LK_FOREVER) seen->deadlines++;
  if (!held) check_waiting(seen, request);
  uint32_t term = lk_mix(lk_mix(lk_mix(request->client, request->number), request->hold), request->mode);
  term = lk_mix(term, request->limit);
  for (uint32_t i = 0; i < request->link_count; i++) {
    const lk_link *link = &request->links[i];
    demand(seen, link->request == request, "a link is another request's");
    term = lk_mix(term, link->resource->name.content);
    for (uint32_t j = 0; j < i; j++) demand(seen, request->links[j].resource != link->resource, "a request has a name twice");
  }
  demand(seen, request->link_count > 0, "a request has no name");
  demand(seen, request->mode <= LK_SHARED && lk_is_duration(request->hold), "a request's mode or hold is no value at all");
  demand(seen, request->mode || !request->limit, "an exclusive request has a limit");
  demand(seen, lk_mix(lk_mix(term, request->fence), request->deadline) == request->in_all.term, "a request's hash is out of date");
}

/* The term that is added to the hash because an item with the term [next] follows one with [term]. */
static uint32_t follow(uint32_t term, uint32_t next) {
  uint32_t hash = term * 0x9E3779B1u ^ next;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
  return hash ^ (hash >> 13);
}

static void check_requests(survey *seen, const lk_manager *manager, bool held) {
  const lk_ordered *list = held ? &manager->held : &manager->queued;
  double fence = 0;
  uint32_t term = 0;
  for (const lk_list *item = list->place.next; item != &list->place; item = item->next) {
    const lk_request *request = LK_OWNER(lk_request, in_all.place, item);
    check_request(seen, manager, request, held);
    demand(seen, !held || request->fence > fence, "held locks are not in the order of their grants");
    fence = request->fence;
    seen->sum += follow(term, request->in_all.term);
    term = request->in_all.term;
  }
  seen->sum += follow(term, 0);
}

static void check_member(survey *seen, const lk_manager *manager, const lk_member *member) {
  seen->members++;
  seen->sum += member->term;
  demand(seen, lk_find_member(manager, member->handle) == member, "a member is not found by its handle");
  demand(seen, member->handle <= manager->last_handle, "a handle is above the last one");
  demand(seen, member->term == lk_mix(lk_mix(lk_name_hash(0, member->id.name), member->handle), member->last),
         "a member's hash is out of date");
  double number = 0;
  for (const lk_list *item = member->queued.next; item != &member->queued; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_member, item);
    demand(seen, request->member == member && !request->held, "a member lists what it has not queued");
    demand(seen, request->number > number, "a member's queued requests are not in the order of their arrival");
    number = request->number;
  }
  double fence = 0;
  for (const lk_list *item = member->held.next; item != &member->held; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_member, item);
    demand(seen, request->member == member && request->held && request->fence > fence,
           "a member's held requests are not in the order of their grants");
    fence = request->fence;
  }
}

/* The mask must reach every bucket, and no other. */
static void check_table(survey *seen, const lk_table *table) {
  demand(seen, !(table->mask & (table->mask + 1)), "a table's size is no power of two");
}

static void check_deadlines(survey *seen, const lk_manager *manager) {
  demand(seen, seen->deadlines == manager->deadline_count, "deadlines are missing, or too many");
  for (size_t i = 0; i < manager->deadline_count; i++) {
    const lk_request *request = manager->deadlines[i];
    const lk_request *parent = manager->deadlines[i ? (i - 1) / 2 : 0];
    demand(seen, request->heap_place == i + 1, "a request does not know the place of its deadline");
    bool ordered = parent->deadline < request->deadline ||
                   (parent->deadline <= request->deadline &&
                    (parent->client < request->client || (parent->client == request->client && parent->number <= request->number)));
    demand(seen, ordered, "the deadlines are no heap");
  }
}

const char *lk_find_fault(const lk_manager *manager) {
  survey seen = {0};
  check_table(&seen, &manager->handles);
  check_table(&seen, &manager->ids);
  check_table(&seen, &manager->names);
  check_table(&seen, &manager->requests);
  for (size_t i = 0; i <= manager->names.mask; i++) {
    for (lk_node *node = manager->names.buckets[i]; node; node = node->next)
      check_resource(&seen, manager, LK_OWNER(lk_resource, name.by_name, node));
  }
  check_requests(&seen, manager, true);
  check_requests(&seen, manager, false);
  size_t listed = 0;
  for (const lk_list *item = manager->members.next; item != &manager->members; item = item->next) {
    const lk_member *member = LK_OWNER(const lk_member, joined, item);
    check_member(&seen, manager, member);
    listed += length_of(&member->held) + length_of(&member->queued);
  }
  check_deadlines(&seen, manager);
  demand(&seen, lk_list_empty(&manager->touched), "something is still touched");
  demand(&seen, seen.resources == manager->names.count, "names are miscounted");
  demand(&seen, seen.requests == manager->requests.count && seen.requests == listed, "requests are miscounted");
  demand(&seen, seen.members == manager->handles.count && seen.members == manager->ids.count, "members are miscounted");
  demand(&seen, seen.requests <= manager->capacity, "there is no room for all events");
  demand(&seen, manager->event_count <= 2 * manager->capacity, "there were more events than there is room for");
  demand(&seen, seen.sum == manager->sum, "the hash is out of date");
  return seen.fault;
}

const char *lk_find_snapshot_fault(const lk_manager *manager, const lk_host *host) {
  size_t size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = host->reallocate(host->user, NULL, 0, size * 2);
  lk_host other = *host;
  other.seed++;
  lk_manager *copy = NULL;
  const char *fault = NULL;
  if (lk_snapshot(manager, bytes, size) != size) {
    fault = "a snapshot changes its size";
  } else if (lk_restore(&other, bytes, size, &copy)) {
    fault = "a snapshot cannot be restored";
  } else if (lk_snapshot(copy, bytes + size, size) != size || __builtin_memcmp(bytes, bytes + size, size)) {
    fault = "a restored state has another snapshot";
  } else if (lk_hash(copy) != lk_hash(manager)) {
    fault = "a restored state has another hash";
  } else {
    fault = lk_find_fault(copy);
  }
  lk_destroy(copy);
  host->reallocate(host->user, bytes, size * 2, 0);
  return fault;
}
