#include "internal.h"

uint32_t lk_mix(uint32_t hash, double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  hash = (hash ^ (uint32_t)bits) * 0x9E3779B1u;
  hash ^= hash >> 15;
  hash = (hash ^ (uint32_t)(bits >> 32)) * 0x85EBCA77u;
  return hash ^ (hash >> 13);
}

uint32_t lk_hash(const lk_manager *manager) {
  return lk_mix(lk_mix(manager->sum, manager->time), manager->fence);
}
