/*
 * A chained hash table whose nodes are fields of other structs. It knows only hashes: a caller walks the nodes with a hash and compares
 * keys. It resizes only on insertion, so that removal never allocates. Out of memory, it keeps its size, so that insertion never fails. Its
 * memory is the manager's.
 */
#ifndef LK_TABLE_H
#define LK_TABLE_H

#include "lockkeeper.h"

typedef struct lk_node {
  struct lk_node *next;
  uint32_t hash;
} lk_node;

typedef struct lk_table {
  lk_node **buckets;
  size_t mask;
  size_t count;
  lk_node *first; /* The only bucket of a table that has not grown yet. */
} lk_table;

/* [table] must not move in memory. */
void lk_table_begin(lk_table *table);
void lk_table_end(lk_table *table, lk_manager *manager);

void lk_table_insert(lk_table *table, lk_manager *manager, lk_node *node, uint32_t hash);
/* [node] must be in the table. */
void lk_table_remove(lk_table *table, lk_node *node);

/* The first node with [hash], and the next one with the same hash as [node]; NULL if there is none. */
lk_node *lk_table_find(const lk_table *table, uint32_t hash);
lk_node *lk_table_next(const lk_node *node);

#endif
