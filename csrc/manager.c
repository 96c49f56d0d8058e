#include "internal.h"

int lk_create(const lk_host *host, double fence, lk_manager **result) {
  *result = NULL;
  if (!lk_is_number(fence)) return LK_INVALID;
  lk_manager *manager = lk_allocate_manager(host);
  if (!manager) return LK_OUT_OF_MEMORY;
  manager->fence = fence + 0.0; /* No negative zero, so that equal states have equal bytes. */
  lk_table_begin(&manager->handles);
  lk_table_begin(&manager->ids);
  lk_table_begin(&manager->names);
  lk_table_begin(&manager->requests);
  lk_list_begin(&manager->members);
  lk_list_begin(&manager->held.place);
  lk_list_begin(&manager->queued.place);
  lk_list_begin(&manager->touched);
  if (!lk_reserve(manager)) {
    lk_free(manager, manager, sizeof *manager);
    return LK_OUT_OF_MEMORY;
  }
  *result = manager;
  return LK_OK;
}

void lk_destroy(lk_manager *manager) {
  if (!manager) return;
  while (!lk_list_empty(&manager->members)) lk_remove_member(manager, LK_OWNER(lk_member, joined, manager->members.next));
  lk_process_touched(manager);
  lk_table_end(&manager->handles, manager);
  lk_table_end(&manager->ids, manager);
  lk_table_end(&manager->names, manager);
  lk_table_end(&manager->requests, manager);
  lk_unreserve(manager);
  lk_free(manager, manager, sizeof *manager);
}

int lk_raise_fence(lk_manager *manager, double fence) {
  if (!lk_is_number(fence)) return LK_INVALID;
  if (fence <= manager->fence) return LK_OK;
  if (!lk_has_fences(fence, manager->requests.count)) return LK_INVALID;
  manager->fence = fence;
  return LK_OK;
}

static lk_reader names_of(const lk_operation *operation) {
  return (lk_reader){(const uint8_t *)operation->names, (size_t)operation->names_length * 2};
}

/* Whether [duration] is valid, and its end, counted from now, is valid, too. */
static bool is_term(const lk_manager *manager, double duration) {
  return lk_is_duration(duration) && lk_is_duration(manager->time + duration);
}

/* Whether a request is valid, apart from its names. */
static bool are_terms(const lk_manager *manager, const lk_operation *operation) {
  bool shared = operation->mode;
  return operation->mode <= LK_SHARED && operation->flags <= LK_STEAL && !(shared && operation->flags == LK_STEAL) &&
         !(operation->limit && !shared) && is_term(manager, operation->wait) && is_term(manager, operation->hold);
}

LK_INLINE static int apply_request(lk_manager *manager, const lk_operation *operation, lk_member *member) {
  if (!are_terms(manager, operation)) return LK_INVALID;
  lk_reader names = names_of(operation);
  int status = lk_touch_names(manager, &names, operation->name_count);
  if (status) return status;
  if (!lk_has_fences(manager->fence, manager->requests.count + 1)) return LK_NO_FENCE;
  lk_request *request =
      lk_new_request(manager, member, operation->number, operation->mode, operation->limit, operation->hold, operation->name_count);
  if (!request) return LK_OUT_OF_MEMORY;
  if (operation->flags & LK_STEAL) {
    for (uint32_t i = 0; i < request->link_count; i++) {
      lk_break_held(manager, request->links[i].resource);
      request->links[i].resource->closed = true;
    }
    lk_grant(manager, request);
  } else {
    lk_enqueue(manager, request, manager->time + operation->wait);
    lk_process_touched(manager);
    if (operation->flags & LK_IF_AVAILABLE && !request->held) lk_end_request(manager, request, LK_UNAVAILABLE);
  }
  return LK_OK;
}

LK_INLINE static int apply_drop(lk_manager *manager, const lk_operation *operation, const lk_member *member) {
  if (!lk_is_number(operation->request)) return LK_INVALID;
  lk_request *request = lk_find_request(manager, member, operation->request);
  if (!request) return LK_STALE;
  lk_end_request(manager, request, LK_REMOVED);
  return LK_OK;
}

LK_INLINE static int apply_force_release(lk_manager *manager, const lk_operation *operation) {
  /* Touch the names to find duplicates. Unused ones are freed again. */
  lk_reader names = names_of(operation);
  int status = lk_touch_names(manager, &names, operation->name_count);
  lk_process_touched(manager);
  if (status) return status;
  names = names_of(operation);
  for (uint32_t i = 0; i < operation->name_count; i++) {
    lk_name name = lk_read_name(&names);
    lk_named *named = lk_find_named(&manager->names, name, lk_name_hash(manager->host.seed, name));
    if (named) lk_break_held(manager, (lk_resource *)named);
  }
  return LK_OK;
}

/* Applies an operation that its client numbers. */
LK_INLINE static int apply_numbered(lk_manager *manager, const lk_operation *operation) {
  lk_member *member = lk_find_member(manager, operation->client);
  if (!member) return LK_UNKNOWN_CLIENT;
  if (!lk_is_number(operation->number)) return LK_INVALID;
  if (operation->number <= member->last) return LK_DUPLICATE;
  if (operation->number > member->last + 1) return LK_GAP;
  int status = operation->type == LK_REQUEST ? apply_request(manager, operation, member)
               : operation->type == LK_DROP  ? apply_drop(manager, operation, member)
                                             : apply_force_release(manager, operation);
  if (status == LK_OUT_OF_MEMORY) return status;
  lk_set_last(manager, member, operation->number);
  return status < 0 ? LK_REFUSED : status;
}

LK_INLINE static int apply_join(lk_manager *manager, const lk_operation *operation) {
  lk_reader names = names_of(operation);
  lk_name id = lk_read_name(&names);
  if (operation->name_count != 1 || names.left) return LK_INVALID;
  int status = lk_add_member(manager, id, manager->last_handle + 1, operation->number);
  if (!status) lk_emit(manager, LK_JOINED, manager->last_handle, operation->number, 0);
  return status;
}

LK_INLINE static int apply_gone(lk_manager *manager, const lk_operation *operation) {
  lk_member *member = lk_find_member(manager, operation->client);
  if (!member) return LK_UNKNOWN_CLIENT;
  lk_remove_member(manager, member);
  return LK_OK;
}

LK_INLINE static int apply_tick(lk_manager *manager, const lk_operation *operation) {
  if (!lk_is_number(operation->now)) return LK_INVALID;
  if (operation->now > manager->time) manager->time = operation->now;
  return LK_OK;
}

LK_INLINE static int dispatch(lk_manager *manager, const lk_operation *operation) {
  switch (operation->type) {
  case LK_REQUEST:
  case LK_DROP:
  case LK_FORCE_RELEASE:
    return apply_numbered(manager, operation);
  case LK_JOIN:
    return apply_join(manager, operation);
  case LK_GONE:
    return apply_gone(manager, operation);
  case LK_TICK:
    return apply_tick(manager, operation);
  default:
    return LK_INVALID;
  }
}

LK_INLINE int lk_apply(lk_manager *manager, const lk_operation *operation) {
  manager->event_count = 0;
  int status = dispatch(manager, operation);
  /* After a failure this grants nothing. It frees the resources created for the operation's names. */
  lk_process_touched(manager);
  while (lk_next_deadline(manager) <= manager->time) {
    lk_end_request(manager, manager->deadlines[0], LK_EXPIRED);
    lk_process_touched(manager);
  }
  return status;
}
