#include "internal.h"

lk_manager *lk_create(const lk_allocator *allocator, double fence) {
  if (!lk_is_number(fence)) return NULL;
  lk_manager *manager = lk_allocate_manager(allocator);
  if (!manager) return NULL;
  manager->fence = fence + 0.0; /* No negative zero: equal states, equal bytes. */
  lk_table_begin(&manager->handles);
  lk_table_begin(&manager->ids);
  lk_table_begin(&manager->names);
  lk_table_begin(&manager->requests);
  lk_list_begin(&manager->members);
  lk_list_begin(&manager->held);
  lk_list_begin(&manager->queued);
  lk_list_begin(&manager->touched);
  if (lk_reserve(manager)) return manager;
  lk_free(manager, manager, sizeof *manager);
  return NULL;
}

void lk_destroy(lk_manager *manager) {
  if (!manager) return;
  manager->event_count = 0;
  while (!lk_list_empty(&manager->members)) lk_remove_member(manager, LK_OWNER(lk_member, joined, manager->members.next));
  lk_process_touched(manager);
  lk_table_end(&manager->handles, manager);
  lk_table_end(&manager->ids, manager);
  lk_table_end(&manager->names, manager);
  lk_table_end(&manager->requests, manager);
  lk_unreserve(manager);
  lk_free(manager, manager, sizeof *manager);
}

LK_INLINE static void read_names(lk_manager *manager, const lk_operation *operation) {
  manager->in = (lk_reader){(const uint8_t *)operation->names, (size_t)operation->names_length * 2, 0};
}

LK_INLINE static int apply_request(lk_manager *manager, const lk_operation *operation, lk_member *member) {
  bool steal = operation->flags & LK_STEAL;
  if (operation->flags > LK_STEAL || (steal && operation->mode) || !lk_is_duration(operation->wait)) return LK_INVALID;
  /* Each request that is queued must find a fence one day. */
  if (manager->fence + (double)manager->requests.count >= LK_NUMBER_MAX) return LK_INVALID;
  int status = lk_new_request(manager, member, operation->number, operation->mode, operation->hold, operation->name_count);
  if (status) return status;
  lk_request *request = manager->new_request;
  if (steal) {
    for (uint32_t i = 0; i < request->link_count; i++) {
      lk_break_held(manager, request->links[i].resource);
      lk_block_queue(request->links[i].resource);
    }
    lk_add_request(manager, request, 0, LK_FOREVER);
    lk_grant(manager, request);
  } else {
    lk_enqueue(manager, request, manager->time + operation->wait);
  }
  lk_process_touched(manager);
  if (!request->fence) {
    if (operation->flags & LK_IF_AVAILABLE) {
      lk_end_request(manager, request, LK_UNAVAILABLE);
    } else if (operation->wait <= 0) {
      lk_end_request(manager, request, LK_EXPIRED);
    }
  }
  return LK_OK;
}

LK_INLINE static int apply_drop(lk_manager *manager, const lk_operation *operation) {
  if (!lk_is_number(operation->request)) return LK_INVALID;
  lk_request *request = lk_find_request(manager, operation->client, operation->request);
  if (!request) return LK_STALE;
  lk_end_request(manager, request, LK_REMOVED);
  return LK_OK;
}

LK_INLINE static int apply_force_release(lk_manager *manager, const lk_operation *operation) {
  int status = lk_touch_names(manager, operation->name_count);
  lk_process_touched(manager); /* Touched in order to find duplicates; it grants nothing, and frees what nobody has. */
  if (status) return status;
  read_names(manager, operation);
  for (uint32_t i = 0; i < operation->name_count; i++) {
    lk_name name = lk_read_name(manager);
    lk_resource *resource = (lk_resource *)lk_find_named(&manager->names, name, lk_name_hash(name));
    if (resource) lk_break_held(manager, resource);
  }
  return LK_OK;
}

/* What its client numbers. */
LK_INLINE static int apply_numbered(lk_manager *manager, const lk_operation *operation) {
  lk_member *member = lk_find_member(manager, operation->client);
  if (!member) return LK_UNKNOWN_CLIENT;
  if (!lk_is_number(operation->number)) return LK_INVALID;
  if (operation->number <= member->last) return LK_DUPLICATE;
  if (operation->number > member->last + 1) return LK_GAP;
  int status = operation->type == LK_REQUEST ? apply_request(manager, operation, member)
               : operation->type == LK_DROP  ? apply_drop(manager, operation)
                                             : apply_force_release(manager, operation);
  if (status >= 0) lk_set_last(manager, member, operation->number);
  return status;
}

LK_INLINE static int apply_join(lk_manager *manager, const lk_operation *operation) {
  if (operation->name_count != 1) return LK_INVALID;
  int status = lk_add_member(manager, manager->last_handle + 1, operation->number);
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
  if (operation->now > manager->time) {
    manager->time = operation->now;
    while (lk_next_deadline(manager) <= manager->time) {
      lk_end_request(manager, manager->deadlines[0], LK_EXPIRED);
      lk_process_touched(manager);
    }
  }
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
  read_names(manager, operation);
  int status = dispatch(manager, operation);
  /* After a failure this grants nothing; it frees what was made for the operation's names. */
  lk_process_touched(manager);
  return status;
}

const lk_event *lk_events(const lk_manager *manager, size_t *count) {
  *count = manager->event_count;
  return manager->events;
}

double lk_time(const lk_manager *manager) {
  return manager->time;
}

double lk_next_deadline(const lk_manager *manager) {
  return manager->deadline_count ? manager->deadlines[0]->deadline : LK_FOREVER;
}

size_t lk_request_count(const lk_manager *manager) {
  return manager->requests.count;
}
