/*
 * A chained hash table whose nodes live inside other structs. It knows hashes alone: who looks something up walks the nodes of
 * its hash and compares keys. It grows and shrinks when something is inserted, so that to remove never allocates; and best effort:
 * without memory it stays as large as it is, so that to insert never fails. Its memory is the manager's.
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

/* [table] must stay where it is. */
void lk_table_begin(lk_table *table);
void lk_table_end(lk_table *table, lk_manager *manager);

void lk_table_insert(lk_table *table, lk_manager *manager, lk_node *node, uint32_t hash);
/* [node] must be in the table. */
void lk_table_remove(lk_table *table, lk_node *node);

/* The first node with [hash], and the next one with the same hash as [node]; NULL where there is none. */
lk_node *lk_table_find(const lk_table *table, uint32_t hash);
lk_node *lk_table_next(const lk_node *node);

#endif
