#include "invariants.h"
#include "internal.h"

/* What has been seen on the way. */
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

/* Whether the request of [link] waits for nothing under this name: worked out from what is held and queued before it. */
static bool is_eligible(const lk_link *link) {
  const lk_resource *resource = link->resource;
  bool exclusive = link->request->mode == LK_EXCLUSIVE;
  for (const lk_list *item = resource->held.next; item != &resource->held; item = item->next) {
    if (exclusive || LK_OWNER(lk_link, place, item)->request->mode == LK_EXCLUSIVE) return false;
  }
  for (const lk_list *item = resource->queue.next; item != &link->place; item = item->next) {
    if (exclusive || LK_OWNER(lk_link, place, item)->request->mode == LK_EXCLUSIVE) return false;
  }
  return true;
}

static void check_resource(survey *seen, const lk_resource *resource) {
  seen->resources++;
  demand(seen, lk_name_hash(resource->name.name) == resource->name.by_name.hash, "a name has another hash");
  demand(seen, lk_list_empty(&resource->touched), "a resource is still touched");
  demand(seen, !lk_list_empty(&resource->held) || !lk_list_empty(&resource->queue), "a resource is unused");
  double fence = 0;
  size_t exclusive = 0;
  for (const lk_list *item = resource->held.next; item != &resource->held; item = item->next) {
    const lk_link *link = LK_OWNER(const lk_link, place, item);
    demand(seen, link->resource == resource, "a held link is another name's");
    demand(seen, link->request->fence > fence, "held locks of a name are not in the order of their grants");
    fence = link->request->fence;
    if (link->request->mode == LK_EXCLUSIVE) exclusive++;
  }
  demand(seen, !exclusive || length_of(&resource->held) == 1, "incompatible locks are held");
  bool before = true;
  for (const lk_list *item = resource->queue.next; item != &resource->queue; item = item->next) {
    const lk_link *link = LK_OWNER(const lk_link, place, item);
    demand(seen, link->resource == resource && link->request->fence <= 0, "a queued link is held, or another name's");
    if (item == resource->frontier) before = false;
    demand(seen, before == is_eligible(link), "the frontier is not where eligibility ends");
  }
  demand(seen, !before || resource->frontier == &resource->queue, "the frontier is outside the queue");
}

static void check_request(survey *seen, const lk_manager *manager, const lk_request *request, bool held) {
  seen->requests++;
  seen->sum += request->term;
  demand(seen, (request->fence > 0) == held && request->fence <= manager->fence, "a fence is wrong");
  demand(seen, lk_find_request(manager, request->member->handle, request->number) == request, "a request is not found by its number");
  demand(seen, request->client == request->member->handle, "a request is another client's");
  demand(seen, request->number <= request->member->last, "a request is newer than its client's last operation");
  demand(seen, held ? request->deadline >= manager->time : request->deadline > manager->time, "an overdue request is left");
  if (request->deadline < LK_FOREVER) seen->deadlines++;
  uint32_t blocked = 0;
  uint32_t names = 0;
  for (uint32_t i = 0; i < request->link_count; i++) {
    const lk_link *link = &request->links[i];
    demand(seen, link->request == request, "a link is another request's");
    if (!held && !is_eligible(link)) blocked++;
    names += lk_resource_hash(link->resource);
    for (uint32_t j = 0; j < i; j++) demand(seen, request->links[j].resource != link->resource, "a request has a name twice");
  }
  demand(seen, request->link_count > 0, "a request has no name");
  demand(seen, request->mode <= LK_SHARED && lk_is_duration(request->hold), "a request's mode or hold is no value at all");
  demand(seen, !held || (request->deadline >= request->hold && request->deadline <= manager->time + request->hold), "held too long");
  demand(seen, held || blocked, "a request could be granted, but waits");
  demand(seen, held || blocked == request->blocked, "blocked is counted wrongly");
  uint32_t hash = lk_mix(lk_mix(lk_mix(2 ^ names, request->member->handle), request->number), request->mode);
  demand(seen, lk_mix(lk_mix(hash, request->fence), request->deadline) == request->term, "a request's hash is out of date");
}

static void check_requests(survey *seen, const lk_manager *manager, bool held) {
  const lk_list *list = held ? &manager->held : &manager->queued;
  double fence = 0;
  for (const lk_list *item = list->next; item != list; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_all, item);
    check_request(seen, manager, request, held);
    demand(seen, !held || request->fence > fence, "held locks are not in the order of their grants");
    fence = request->fence;
  }
}

static void check_member(survey *seen, const lk_manager *manager, const lk_member *member) {
  seen->members++;
  seen->sum += member->term;
  demand(seen, lk_find_member(manager, member->handle) == member, "a member is not found by its handle");
  demand(seen, member->handle <= manager->last_handle, "a handle is above the last one");
  demand(seen, member->term == lk_mix(lk_mix(1, member->handle), member->last), "a member's hash is out of date");
  double number = 0;
  for (const lk_list *item = member->queued.next; item != &member->queued; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_member, item);
    demand(seen, request->member == member && request->fence <= 0, "a member lists what it has not queued");
    demand(seen, request->number > number, "a member's queued requests are not in the order of their arrival");
    number = request->number;
  }
  double fence = 0;
  for (const lk_list *item = member->held.next; item != &member->held; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_member, item);
    demand(seen, request->member == member && request->fence > fence, "a member's held requests are not in the order of their grants");
    fence = request->fence;
  }
}

static void check_deadlines(survey *seen, const lk_manager *manager) {
  demand(seen, seen->deadlines == manager->deadline_count, "deadlines are missing, or too many");
  for (size_t i = 0; i < manager->deadline_count; i++) {
    const lk_request *request = manager->deadlines[i];
    const lk_request *parent = manager->deadlines[i ? (i - 1) / 2 : 0];
    demand(seen, request->due == i + 1, "a request does not know the place of its deadline");
    bool ordered = parent->deadline < request->deadline ||
                   (parent->deadline <= request->deadline &&
                    (parent->client < request->client || (parent->client == request->client && parent->number <= request->number)));
    demand(seen, ordered, "the deadlines are no heap");
  }
}

const char *lk_find_fault(const lk_manager *manager) {
  survey seen = {0};
  for (size_t i = 0; i <= manager->names.mask; i++) {
    for (lk_node *node = manager->names.buckets[i]; node; node = node->next)
      check_resource(&seen, LK_OWNER(lk_resource, name.by_name, node));
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
  demand(&seen, manager->event_count <= 2 * manager->capacity + 2, "there were more events than there is room for");
  demand(&seen, seen.sum == manager->sum, "the hash is out of date");
  return seen.fault;
}

const char *lk_find_snapshot_fault(const lk_manager *manager, const lk_allocator *allocator) {
  size_t size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = allocator->reallocate(allocator->user, NULL, 0, size * 2);
  lk_manager *copy = NULL;
  const char *fault = NULL;
  if (lk_snapshot(manager, bytes, size) != size) {
    fault = "a snapshot changes its size";
  } else if (lk_restore(allocator, bytes, size, &copy)) {
    fault = "a snapshot cannot be restored";
  } else if (lk_snapshot(copy, bytes + size, size) != size || __builtin_memcmp(bytes, bytes + size, size)) {
    fault = "a restored state has another snapshot";
  } else if (lk_hash(copy) != lk_hash(manager)) {
    fault = "a restored state has another hash";
  } else {
    fault = lk_find_fault(copy);
  }
  lk_destroy(copy);
  allocator->reallocate(allocator->user, bytes, size * 2, 0);
  return fault;
}
