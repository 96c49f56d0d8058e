#include "internal.h"

void lk_table_begin(lk_table *table) {
  table->buckets = &table->first;
  table->mask = 0;
  table->count = 0;
  table->first = NULL;
}

static void free_buckets(lk_manager *manager, lk_node **buckets, size_t mask) {
  if (mask) lk_free(manager, buckets, (mask + 1) * sizeof(lk_node *));
}

void lk_table_end(lk_table *table, lk_manager *manager) {
  free_buckets(manager, table->buckets, table->mask);
}

static void push(lk_table *table, lk_node *node) {
  lk_node **bucket = &table->buckets[node->hash & table->mask];
  node->next = *bucket;
  *bucket = node;
}

/* Changes to [count] buckets, a power of two above 1. Out of memory, it changes nothing. */
static void resize(lk_table *table, lk_manager *manager, size_t count) {
  lk_node **old = table->buckets;
  size_t mask = table->mask;
  lk_node **buckets = lk_allocate(manager, count * sizeof(lk_node *));
  if (!buckets) return;
  __builtin_memset(buckets, 0, count * sizeof(lk_node *));
  table->buckets = buckets;
  table->mask = count - 1;
  for (size_t i = 0; i <= mask; i++) {
    for (lk_node *node = old[i], *next; node; node = next) {
      next = node->next;
      push(table, node);
    }
  }
  free_buckets(manager, old, mask);
}

/* Keeps the table between a sixteenth full and full. It resizes by a factor of four, since moving the nodes is the main cost. */
void lk_table_insert(lk_table *table, lk_manager *manager, lk_node *node, uint32_t hash) {
  size_t size = table->mask + 1;
  if (table->count >= size) {
    resize(table, manager, size * 4);
  } else if (table->count < size / 16) {
    resize(table, manager, size / 4);
  }
  table->count++;
  node->hash = hash;
  push(table, node);
}

void lk_table_remove(lk_table *table, lk_node *node) {
  lk_node **place = &table->buckets[node->hash & table->mask];
  while (*place != node) place = &(*place)->next;
  *place = node->next;
  table->count--;
}

static lk_node *with_hash(lk_node *node, uint32_t hash) {
  while (node && node->hash != hash) node = node->next;
  return node;
}

lk_node *lk_table_find(const lk_table *table, uint32_t hash) {
  return with_hash(table->buckets[hash & table->mask], hash);
}

lk_node *lk_table_next(const lk_node *node) {
  return with_hash(node->next, node->hash);
}
