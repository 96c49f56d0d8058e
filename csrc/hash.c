#include "internal.h"

#define FACTOR 0x9E3779B1u
#define PRIME 0x7FFFFFFFu /* 2^31 - 1 */

/*
 * The name's units are the coefficients of a polynomial over the field of PRIME, evaluated at a point that the seed chooses. The first
 * coefficient is 1, so that lengths count, too. Two names of n units have the same hash at no more than n points, so nobody can make names
 * collide without the seed. And names that differ only in their last unit get neighbouring buckets, which suits the processor's cache.
 */
uint32_t lk_name_hash(uint32_t seed, lk_name name) {
  uint32_t point = (seed ^ FACTOR) >> 1;
  uint32_t hash = 1;
  for (const uint8_t *at = name + sizeof(uint32_t), *end = name + lk_name_size(name); at != end; at += 2) {
    uint16_t unit;
    __builtin_memcpy(&unit, at, sizeof unit);
    uint64_t value = (uint64_t)hash * point + unit;
    hash = (uint32_t)(value & PRIME) + (uint32_t)(value >> 31);
    if (hash >= PRIME) hash -= PRIME;
  }
  return hash;
}

uint32_t lk_mix(uint32_t hash, double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  hash = (hash ^ (uint32_t)bits) * FACTOR;
  hash ^= hash >> 15;
  hash = (hash ^ (uint32_t)(bits >> 32)) * 0x85EBCA77u;
  return hash ^ (hash >> 13);
}

/* The term that is added to the hash because [next] comes right after [item]. */
static uint32_t follows(const lk_list *item, const lk_list *next) {
  uint32_t hash = LK_OWNER(const lk_ordered, place, item)->term * FACTOR ^ LK_OWNER(const lk_ordered, place, next)->term;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
  return hash ^ (hash >> 13);
}

void lk_ordered_append(lk_manager *manager, lk_ordered *list, lk_ordered *item) {
  lk_list *last = list->place.previous;
  manager->sum += follows(last, &item->place) + follows(&item->place, &list->place) - follows(last, &list->place);
  lk_list_append(&list->place, &item->place);
}

void lk_ordered_remove(lk_manager *manager, lk_ordered *item) {
  lk_list *previous = item->place.previous, *next = item->place.next;
  manager->sum += follows(previous, next) - follows(previous, &item->place) - follows(&item->place, next);
  lk_list_remove(&item->place);
}

uint32_t lk_hash(const lk_manager *manager) {
  return lk_mix(lk_mix(lk_mix(manager->sum, manager->time), manager->fence), manager->last_handle);
}
