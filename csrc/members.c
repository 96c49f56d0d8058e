#include "internal.h"

/* Each handle has its own hash. Clients decide which handles stay in use, and these may have the same low bits. */
static uint32_t handle_hash(const lk_manager *manager, uint32_t handle) {
  uint32_t hash = (handle ^ manager->host.seed) * 0x9E3779B1u;
  return hash ^ hash >> 16;
}

lk_member *lk_find_member(const lk_manager *manager, uint32_t handle) {
  lk_node *node = lk_table_find(&manager->handles, handle_hash(manager, handle));
  return node ? LK_OWNER(lk_member, by_handle, node) : NULL;
}

double lk_last_number(const lk_manager *manager, uint32_t client) {
  const lk_member *member = lk_find_member(manager, client);
  return member ? member->last : -1;
}

void lk_set_last(lk_manager *manager, lk_member *member, double last) {
  manager->sum -= member->term;
  member->last = last;
  member->term = lk_mix(lk_mix(member->id.content, member->handle), last);
  manager->sum += member->term;
}

int lk_add_member(lk_manager *manager, lk_name id, uint32_t handle, double last) {
  if (!id || !lk_name_length(id) || last < 1 || !lk_is_number(last)) return LK_INVALID;
  uint32_t seed = manager->host.seed;
  uint32_t hash = lk_name_hash(seed, id);
  if (lk_find_named(&manager->ids, id, hash)) return LK_DUPLICATE;
  if (!handle) return LK_NO_HANDLE;
  lk_member *member = lk_allocate(manager, sizeof *member + lk_name_size(id));
  if (!member) return LK_OUT_OF_MEMORY;
  member->handle = handle;
  member->term = 0;
  member->first_hash = lk_mix(seed, handle);
  lk_list_begin(&member->held);
  lk_list_begin(&member->queued);
  lk_list_append(&manager->members, &member->joined);
  lk_table_insert(&manager->handles, manager, &member->by_handle, handle_hash(manager, handle));
  lk_add_named(manager, &manager->ids, &member->id, member->id_bytes, id, hash);
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
  lk_table_remove(&manager->ids, &member->id.by_name);
  lk_free(manager, member, sizeof *member + lk_name_size(member->id.name));
}
