#include "internal.h"

static bool before(const lk_request *a, const lk_request *b) {
  if (a->deadline != b->deadline) return a->deadline < b->deadline;
  if (a->client != b->client) return a->client < b->client;
  return a->number < b->number;
}

/* Places count from 1, so that the children of [place] are at 2 * [place] and 2 * [place] + 1. */
static lk_request *deadline_at(const lk_manager *manager, size_t place) {
  return manager->deadlines[place - 1];
}

static void put_at(lk_manager *manager, size_t place, lk_request *request) {
  manager->deadlines[place - 1] = request;
  request->heap_place = place;
}

/* Puts [request] at [place], or nearer to the root. */
static void rise(lk_manager *manager, size_t place, lk_request *request) {
  for (; place > 1 && before(request, deadline_at(manager, place / 2)); place /= 2) put_at(manager, place, deadline_at(manager, place / 2));
  put_at(manager, place, request);
}

void lk_deadline_add(lk_manager *manager, lk_request *request) {
  LK_ASSERT(!request->heap_place && manager->deadline_count < manager->capacity);
  rise(manager, ++manager->deadline_count, request);
}

void lk_deadline_remove(lk_manager *manager, lk_request *request) {
  size_t place = request->heap_place;
  if (!place) return;
  request->heap_place = 0;
  size_t count = --manager->deadline_count;
  lk_request *last = manager->deadlines[count];
  if (last == request) return;
  /* Move the lesser child up, down to a leaf. Then the last request rises from there. */
  for (size_t child; (child = place * 2) <= count; place = child) {
    if (child < count && before(deadline_at(manager, child + 1), deadline_at(manager, child))) child++;
    put_at(manager, place, deadline_at(manager, child));
  }
  rise(manager, place, last);
}
