#include "internal.h"

static bool before(const lk_request *a, const lk_request *b) {
  if (a->deadline != b->deadline) return a->deadline < b->deadline;
  if (a->client != b->client) return a->client < b->client;
  return a->number < b->number;
}

static void put_at(lk_manager *manager, size_t due, lk_request *request) {
  manager->deadlines[due - 1] = request;
  request->due = due;
}

/* Puts [request] at [due], or higher up. */
static void rise(lk_manager *manager, size_t due, lk_request *request) {
  for (; due > 1 && before(request, manager->deadlines[due / 2 - 1]); due /= 2) put_at(manager, due, manager->deadlines[due / 2 - 1]);
  put_at(manager, due, request);
}

void lk_deadline_add(lk_manager *manager, lk_request *request) {
  rise(manager, ++manager->deadline_count, request);
}

void lk_deadline_remove(lk_manager *manager, lk_request *request) {
  size_t due = request->due;
  if (!due) return;
  request->due = 0;
  size_t count = --manager->deadline_count;
  lk_request *last = manager->deadlines[count];
  if (last == request) return;
  /* The last one takes the empty place: the lesser children rise past it, or it rises itself. */
  for (size_t child; (child = due * 2) <= count; due = child) {
    if (child < count && before(manager->deadlines[child], manager->deadlines[child - 1])) child++;
    if (!before(manager->deadlines[child - 1], last)) break;
    put_at(manager, due, manager->deadlines[child - 1]);
  }
  rise(manager, due, last);
}
