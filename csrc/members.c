#include "internal.h"

lk_member *lk_find_member(const lk_manager *manager, uint32_t handle) {
  for (lk_node *node = lk_table_find(&manager->handles, handle); node; node = lk_table_next(node)) {
    return LK_OWNER(lk_member, by_handle, node); /* The hash is the key itself. */
  }
  return NULL;
}

double lk_last_number(const lk_manager *manager, uint32_t client) {
  const lk_member *member = lk_find_member(manager, client);
  return member ? member->last : -1;
}

void lk_set_last(lk_manager *manager, lk_member *member, double last) {
  manager->sum -= member->term;
  member->last = last;
  member->term = lk_mix(lk_mix(1, member->handle), last);
  manager->sum += member->term;
}

int lk_add_member(lk_manager *manager, lk_name id, uint32_t handle, double last) {
  uint32_t hash = lk_name_hash(id);
  for (lk_node *node = lk_table_find(&manager->ids, hash); node; node = lk_table_next(node)) {
    lk_member *other = LK_OWNER(lk_member, by_id, node);
    if (lk_same_name(id, other->id)) return LK_DUPLICATE;
  }
  size_t size = lk_name_size(id);
  lk_member *member = lk_allocate(manager, sizeof *member + size);
  if (!member) return LK_OUT_OF_MEMORY;
  member->handle = handle;
  member->term = 0;
  __builtin_memcpy(member->id, id, size);
  lk_list_begin(&member->held);
  lk_list_begin(&member->queued);
  lk_list_append(&manager->members, &member->joined);
  lk_table_insert(&manager->handles, manager, &member->by_handle, handle);
  lk_table_insert(&manager->ids, manager, &member->by_id, hash);
  manager->last_handle = handle;
  lk_set_last(manager, member, last);
  return LK_OK;
}

static void end_all(lk_manager *manager, lk_list *requests) {
  while (!lk_list_empty(requests)) lk_end_request(manager, LK_OWNER(lk_request, in_member, requests->next), LK_REMOVED);
}

void lk_remove_member(lk_manager *manager, lk_member *member) {
  end_all(manager, &member->held);
  end_all(manager, &member->queued);
  manager->sum -= member->term;
  lk_list_remove(&member->joined);
  lk_table_remove(&manager->handles, &member->by_handle);
  lk_table_remove(&manager->ids, &member->by_id);
  lk_free(manager, member, sizeof *member + lk_name_size(member->id));
}
