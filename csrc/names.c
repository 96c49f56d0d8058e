#include "internal.h"

const uint8_t *lk_read(lk_reader *reader, size_t size) {
  const uint8_t *at = reader->at;
  if (size > reader->left) return NULL;
  reader->at += size;
  reader->left -= size;
  return at;
}

lk_name lk_read_name(lk_reader *reader) {
  lk_name name = lk_read(reader, sizeof(uint32_t));
  if (!name) return NULL;
  uint32_t length = lk_name_length(name);
  return length <= reader->left / 2 && lk_read(reader, (size_t)length * 2) ? name : NULL;
}

uint32_t lk_name_length(lk_name name) {
  uint32_t length;
  __builtin_memcpy(&length, name, sizeof length);
  return length;
}

size_t lk_name_size(lk_name name) {
  return sizeof(uint32_t) + (size_t)lk_name_length(name) * 2;
}

static bool same_name(lk_name a, lk_name b) {
  size_t size = lk_name_size(a);
  return size == lk_name_size(b) && !__builtin_memcmp(a, b, size);
}

lk_named *lk_find_named(const lk_table *table, lk_name name, uint32_t hash) {
  for (lk_node *node = lk_table_find(table, hash); node; node = lk_table_next(node)) {
    lk_named *named = LK_OWNER(lk_named, by_name, node);
    if (same_name(name, named->name)) return named;
  }
  return NULL;
}

void lk_add_named(lk_manager *manager, lk_table *table, lk_named *named, uint8_t *target, lk_name name, uint32_t hash) {
  named->name = __builtin_memcpy(target, name, lk_name_size(name));
  named->content = lk_name_hash(0, name);
  lk_table_insert(table, manager, &named->by_name, hash);
}

lk_resource *lk_find_resource(const lk_manager *manager, lk_name name) {
  return (lk_resource *)lk_find_named(&manager->names, name, lk_name_hash(manager->host.seed, name));
}

lk_resource *lk_find_or_add_resource(lk_manager *manager, lk_name name) {
  uint32_t hash = lk_name_hash(manager->host.seed, name);
  lk_resource *resource = (lk_resource *)lk_find_named(&manager->names, name, hash);
  if (resource) return resource;
  resource = lk_allocate(manager, sizeof *resource + lk_name_size(name));
  if (!resource) return NULL;
  lk_list_begin(&resource->queue);
  lk_list_begin(&resource->held);
  lk_list_begin(&resource->parked);
  lk_list_begin(&resource->touched);
  resource->frontier = &resource->queue;
  resource->admitted = 0;
  resource->closed = false;
  lk_add_named(manager, &manager->names, &resource->name, resource->name_bytes, name, hash);
  return resource;
}

void lk_free_resource(lk_manager *manager, lk_resource *resource) {
  LK_ASSERT(!resource->admitted && !lk_is_touched(resource) && lk_list_empty(&resource->parked));
  lk_table_remove(&manager->names, &resource->name.by_name);
  lk_free(manager, resource, sizeof *resource + lk_name_size(resource->name.name));
}

void lk_touch(lk_manager *manager, lk_resource *resource) {
  if (!lk_is_touched(resource)) lk_list_append(&manager->touched, &resource->touched);
}

int lk_touch_names(lk_manager *manager, lk_reader *names, uint32_t count) {
  LK_ASSERT(lk_list_empty(&manager->touched));
  if (!count) return LK_INVALID;
  while (count--) {
    lk_name name = lk_read_name(names);
    if (!name) return LK_INVALID;
    lk_resource *resource = lk_find_or_add_resource(manager, name);
    if (!resource) return LK_OUT_OF_MEMORY;
    if (lk_is_touched(resource)) return LK_INVALID;
    lk_touch(manager, resource);
  }
  return names->left ? LK_INVALID : LK_OK;
}
