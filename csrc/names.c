#include "internal.h"

void lk_read(lk_reader *reader, void *target, size_t size) {
  if (reader->left < size) {
    reader->bad = true;
    reader->left = 0;
    __builtin_memset(target, 0, size);
    return;
  }
  __builtin_memcpy(target, reader->at, size);
  reader->at += size;
  reader->left -= size;
}

lk_name lk_read_name(lk_reader *reader) {
  lk_name name = reader->at;
  uint32_t length;
  lk_read(reader, &length, sizeof length);
  if (length > reader->left / 2) {
    reader->bad = true;
    length = 0;
  }
  reader->at += (size_t)length * 2;
  reader->left -= (size_t)length * 2;
  return name;
}

size_t lk_name_size(lk_name name) {
  uint32_t length;
  __builtin_memcpy(&length, name, sizeof length);
  return sizeof length + (size_t)length * 2;
}

uint32_t lk_name_hash(lk_name name) {
  uint32_t hash = 2166136261u;
  for (const uint8_t *at = name + sizeof(uint32_t), *end = name + lk_name_size(name); at != end; at += 2) {
    uint16_t unit;
    __builtin_memcpy(&unit, at, sizeof unit);
    hash = (hash ^ unit) * 16777619u;
  }
  return hash;
}

bool lk_same_name(lk_name a, lk_name b) {
  size_t size = lk_name_size(a);
  return size == lk_name_size(b) && !__builtin_memcmp(a, b, size);
}

/*
 * The hash that the table of names goes by: that of the name with its last multiplication taken back, so that names that differ
 * in their last unit alone get neighbouring buckets, which the processor's cache likes.
 */
static uint32_t place_of(uint32_t hash) {
  return hash * 899433627u;
}

uint32_t lk_resource_hash(const lk_resource *resource) {
  return resource->by_name.hash * 16777619u;
}

static lk_resource *find(const lk_manager *manager, lk_name name, uint32_t hash) {
  for (lk_node *node = lk_table_find(&manager->names, place_of(hash)); node; node = lk_table_next(node)) {
    lk_resource *resource = LK_OWNER(lk_resource, by_name, node);
    if (lk_same_name(name, resource->name)) return resource;
  }
  return NULL;
}

lk_resource *lk_find_resource(const lk_manager *manager, lk_name name) {
  return find(manager, name, lk_name_hash(name));
}

static lk_resource *create_resource(lk_manager *manager, lk_name name, uint32_t hash) {
  size_t size = lk_name_size(name);
  lk_resource *resource = lk_allocate(manager, sizeof *resource + size);
  if (!resource) return NULL;
  __builtin_memcpy(resource->name, name, size);
  lk_list_begin(&resource->queue);
  lk_list_begin(&resource->held);
  lk_list_begin(&resource->touched);
  resource->frontier = &resource->queue;
  lk_table_insert(&manager->names, manager, &resource->by_name, place_of(hash));
  return resource;
}

void lk_free_resource(lk_manager *manager, lk_resource *resource) {
  lk_table_remove(&manager->names, &resource->by_name);
  lk_free(manager, resource, sizeof *resource + lk_name_size(resource->name));
}

void lk_touch(lk_manager *manager, lk_resource *resource) {
  if (lk_list_empty(&resource->touched)) lk_list_append(&manager->touched, &resource->touched);
}

/* Whether [name] is among the first [count] names of [names]: for those that have no resource to tell by. */
static bool is_among(lk_name name, lk_reader names, uint32_t count) {
  while (count--) {
    if (lk_same_name(name, lk_read_name(&names))) return true;
  }
  return false;
}

int lk_touch_names(lk_manager *manager, lk_reader *reader, uint32_t count, bool create) {
  lk_reader start = *reader;
  if (!count) return LK_INVALID;
  for (uint32_t i = 0; i < count; i++) {
    lk_name name = lk_read_name(reader);
    if (reader->bad) return LK_INVALID;
    uint32_t hash = lk_name_hash(name);
    lk_resource *resource = find(manager, name, hash);
    if (resource) {
      if (!lk_list_empty(&resource->touched)) return LK_INVALID;
    } else if (create) {
      resource = create_resource(manager, name, hash);
      if (!resource) return LK_OUT_OF_MEMORY;
    } else {
      if (is_among(name, start, i)) return LK_INVALID;
      continue;
    }
    lk_touch(manager, resource);
  }
  return reader->names_alone && reader->left ? LK_INVALID : LK_OK;
}
