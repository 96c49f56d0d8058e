/* Doubly linked circular lists whose items are fields of other structs. An item that is in no list is linked to itself. */
#ifndef LK_LIST_H
#define LK_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_list {
  struct lk_list *previous;
  struct lk_list *next;
} lk_list;

/* The [type] whose [field] is at [pointer]. */
#define LK_OWNER(type, field, pointer) ((type *)(void *)((char *)(pointer)-offsetof(type, field)))

/* Initializes an empty list, or an item that is in no list. */
static inline void lk_list_begin(lk_list *list) {
  list->previous = list->next = list;
}

static inline bool lk_list_empty(const lk_list *list) {
  return list->next == list;
}

/* [item] must be in no list. If [list] is an item, [item] goes before it. */
static inline void lk_list_append(lk_list *list, lk_list *item) {
  item->previous = list->previous;
  item->next = list;
  list->previous->next = item;
  list->previous = item;
}

/* Also allowed for an item that is in no list. */
static inline void lk_list_remove(lk_list *item) {
  item->previous->next = item->next;
  item->next->previous = item->previous;
  lk_list_begin(item);
}

#endif
