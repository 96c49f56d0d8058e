#include "internal.h"

const void *lk_read(lk_manager *manager, size_t size) {
  lk_reader *reader = &manager->in;
  const uint8_t *at = reader->at;
  if (size > reader->left) return NULL;
  reader->at += size;
  reader->left -= size;
  return at;
}

lk_name lk_read_name(lk_manager *manager) {
  lk_name name = lk_read(manager, sizeof(uint32_t));
  if (!name) return NULL;
  uint32_t length;
  __builtin_memcpy(&length, name, sizeof length);
  return length <= manager->in.left / 2 && lk_read(manager, (size_t)length * 2) ? name : NULL;
}

size_t lk_name_size(lk_name name) {
  uint32_t length;
  __builtin_memcpy(&length, name, sizeof length);
  return sizeof length + (size_t)length * 2;
}

/* Odd, and its bits are spread: names that differ somewhere in the middle are kept apart by the lowest bits, which choose the bucket. */
#define FACTOR 0x9E3779B1u

/*
 * Like FNV-1a, but for its last multiplication: so names that differ in their last unit alone get neighbouring buckets, which the
 * processor's cache likes.
 */
uint32_t lk_name_hash(lk_name name) {
  uint32_t hash = FACTOR;
  for (const uint8_t *at = name + sizeof(uint32_t), *end = name + lk_name_size(name); at != end; at += 2) {
    uint16_t unit;
    __builtin_memcpy(&unit, at, sizeof unit);
    hash = hash * FACTOR ^ unit;
  }
  return hash;
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

uint32_t lk_resource_hash(const lk_resource *resource) {
  return resource->name.by_name.hash * FACTOR;
}

static lk_resource *create_resource(lk_manager *manager, lk_name name, uint32_t hash) {
  size_t size = lk_name_size(name);
  lk_resource *resource = lk_allocate(manager, sizeof *resource + size);
  if (!resource) return NULL;
  resource->name.name = __builtin_memcpy(resource->name_bytes, name, size);
  lk_list_begin(&resource->queue);
  lk_list_begin(&resource->held);
  lk_list_begin(&resource->touched);
  resource->frontier = &resource->queue;
  lk_table_insert(&manager->names, manager, &resource->name.by_name, hash);
  return resource;
}

void lk_free_resource(lk_manager *manager, lk_resource *resource) {
  lk_table_remove(&manager->names, &resource->name.by_name);
  lk_free(manager, resource, sizeof *resource + lk_name_size(resource->name.name));
}

void lk_touch(lk_manager *manager, lk_resource *resource) {
  if (lk_list_empty(&resource->touched)) lk_list_append(&manager->touched, &resource->touched);
}

int lk_touch_names(lk_manager *manager, uint32_t count) {
  if (!count) return LK_INVALID;
  while (count--) {
    lk_name name = lk_read_name(manager);
    if (!name) return LK_INVALID;
    uint32_t hash = lk_name_hash(name);
    lk_resource *resource = (lk_resource *)lk_find_named(&manager->names, name, hash);
    if (!resource) resource = create_resource(manager, name, hash);
    if (!resource) return LK_OUT_OF_MEMORY;
    if (!lk_list_empty(&resource->touched)) return LK_INVALID;
    lk_touch(manager, resource);
  }
  return manager->in.left > manager->in.rest ? LK_INVALID : LK_OK;
}
