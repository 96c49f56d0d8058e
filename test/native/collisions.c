/* What only shows where hashes are equal, or room is used up to the last place. */
#include "check.h"
#include "internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 400000 };

static lk_host host;
static counts memory;

static lk_manager *create(void) {
  lk_manager *manager = create_manager(&host, 0);
  CHECK(apply(manager, join(1, "one")) == LK_OK && apply(manager, join(1, "two")) == LK_OK);
  return manager;
}

typedef struct candidate {
  uint32_t hash;
  uint16_t name[5];
} candidate;

static int by_hash(const void *a, const void *b) {
  uint32_t left = ((const candidate *)a)->hash, right = ((const candidate *)b)->hash;
  return left < right ? -1 : left > right;
}

static lk_operation asking_for(const candidate *candidate, uint32_t client, double number) {
  lk_operation operation = request(client, number, "");
  operation.names = candidate->name;
  operation.name_count = 1;
  operation.names_length = 5;
  return operation;
}

/* Two names with one hash are two locks, and each is found. */
static void test_equal_name_hashes(void) {
  candidate *candidates = malloc(TRIES * sizeof *candidates);
  uint32_t state = 1;
  for (size_t i = 0; i < TRIES; i++) {
    uint16_t name[5] = {3, 0, (uint16_t)(i & 0xFFF), (uint16_t)(i >> 12), (uint16_t)((state = state * 1664525u + 1013904223u) >> 16)};
    memcpy(candidates[i].name, name, sizeof name);
    candidates[i].hash = lk_name_hash(host.seed, (const uint8_t *)name);
  }
  qsort(candidates, TRIES, sizeof *candidates, by_hash);
  size_t pairs = 0;
  for (size_t i = 1; i < TRIES; i++) {
    const candidate *one = &candidates[i - 1], *other = &candidates[i];
    if (one->hash != other->hash) continue;
    pairs++;
    lk_manager *manager = create();
    CHECK(apply(manager, asking_for(one, 1, 2)) == LK_OK && had_events(manager, "g1.2"));
    CHECK(apply(manager, asking_for(other, 2, 2)) == LK_OK && had_events(manager, "g2.2"));
    CHECK(apply(manager, asking_for(one, 2, 3)) == LK_OK && had_events(manager, ""));
    CHECK(apply(manager, asking_for(other, 1, 3)) == LK_OK && had_events(manager, ""));
    CHECK(!lk_find_snapshot_fault(manager, &host));
    CHECK(apply(manager, drop(1, 4, 2)) == LK_OK && had_events(manager, "r1.2 g2.3"));
    CHECK(apply(manager, drop(2, 4, 2)) == LK_OK && had_events(manager, "r2.2 g1.3"));
    lk_destroy(manager);
  }
  CHECK(pairs > 3);
  free(candidates);
}

/* So are two names of different lengths: one is not compared with what stands behind the other in memory. */
static void test_equal_hashes_of_lengths(void) {
  uint16_t brief[3] = {1, 0, 0}, lengthy[18] = {16};
  uint32_t least = lk_name_hash(host.seed, (const uint8_t *)brief);
  size_t pairs = 0;
  for (uint32_t i = 0; i < TRIES; i++) {
    lengthy[15] = (uint16_t)i;
    lengthy[16] = (uint16_t)(i >> 16);
    uint32_t hash = lk_name_hash(host.seed, (const uint8_t *)lengthy);
    brief[2] = (uint16_t)(hash - least);
    if (lk_name_hash(host.seed, (const uint8_t *)brief) != hash) continue;
    pairs++;
    lk_manager *manager = create();
    lk_operation one = request(1, 2, "a"), other = request(2, 2, "a");
    one.names = brief;
    one.names_length = 3;
    other.names = lengthy;
    other.names_length = 18;
    CHECK(apply(manager, one) == LK_OK && had_events(manager, "g1.2"));
    CHECK(apply(manager, other) == LK_OK && had_events(manager, "g2.2"));
    CHECK(!lk_find_snapshot_fault(manager, &host));
    lk_destroy(manager);
  }
  CHECK(pairs > 3);
}

typedef struct handle {
  uint32_t hash;
  uint32_t handle;
} handle;

static int by_second_hash(const void *a, const void *b) {
  uint32_t left = ((const handle *)a)->hash, right = ((const handle *)b)->hash;
  return left < right ? -1 : left > right;
}

/* The hash of request 2 of a member with that handle. */
static uint32_t hash_of_second(uint32_t handle) {
  uint32_t first = lk_mix(host.seed, handle);
  return first + (2 + lk_mix(first, 0)) % 4096;
}

/* Many handles, by that hash. The caller frees them. */
static handle *handles_by_hash(void) {
  handle *handles = malloc(TRIES * sizeof *handles);
  uint32_t state = 7;
  for (size_t i = 0; i < TRIES; i++) {
    handles[i].handle = (state = state * 1664525u + 1013904223u);
    handles[i].hash = hash_of_second(handles[i].handle);
  }
  qsort(handles, TRIES, sizeof *handles, by_second_hash);
  return handles;
}

/* A manager whose only members are [one], with [last] as the number of its last operation, and [other]. */
static lk_manager *create_with(uint32_t one, double last, uint32_t other) {
  lk_manager *manager = create_manager(&host, 0);
  lk_name x = (lk_name)encode("x")->units, y = (lk_name)encode("y")->units;
  if (one > other) CHECK(lk_add_member(manager, y, other, 1) == LK_OK);
  CHECK(lk_add_member(manager, x, one, last) == LK_OK);
  if (one < other) CHECK(lk_add_member(manager, y, other, 1) == LK_OK);
  return manager;
}

/* Requests whose client and number hash to the same are told apart by both. */
static void test_equal_request_hashes(void) {
  handle *handles = handles_by_hash();
  size_t pairs = 0;
  for (size_t i = 1; i < TRIES && pairs < 100; i++) {
    /* Most numbers that are a little greater have a hash that is greater by as much. */
    uint32_t one = handles[i - 1].handle, other = handles[i].handle, number = handles[i].hash - handles[i - 1].hash + 2;
    if (number < 5 || number > 63) continue;
    lk_manager *manager = create_with(one, number - 1, other);
    CHECK(apply(manager, request(one, number, "a")) == LK_OK);
    CHECK(apply(manager, request(other, 2, "b")) == LK_OK);
    uint32_t hash = lk_find_request(manager, lk_find_member(manager, one), number)->by_number.hash;
    pairs += hash == lk_find_request(manager, lk_find_member(manager, other), 2)->by_number.hash;
    CHECK(apply(manager, drop(one, number + 1, 2)) == LK_STALE);
    CHECK(apply(manager, drop(one, number + 2, number + 4294967296.0)) == LK_STALE);
    CHECK(apply(manager, drop(other, 3, number)) == LK_STALE);
    CHECK(lk_request_count(manager) == 2);
    CHECK(apply(manager, drop(other, 4, 2)) == LK_OK && lk_request_count(manager) == 1);
    CHECK(apply(manager, drop(one, number + 3, number)) == LK_OK && lk_request_count(manager) == 0);
    lk_destroy(manager);
  }
  CHECK(pairs == 100);
  free(handles);
}

/* Two clients whose requests of one number have one hash: neither can drop the other's. */
static void test_equal_clients(void) {
  handle *handles = handles_by_hash();
  size_t pairs = 0;
  for (size_t i = 1; i < TRIES; i++) {
    uint32_t one = handles[i - 1].handle, other = handles[i].handle;
    if (handles[i - 1].hash != handles[i].hash || one == other) continue;
    pairs++;
    lk_manager *manager = create_with(one, 1, other);
    CHECK(apply(manager, request(one, 2, "a")) == LK_OK);
    CHECK(apply(manager, drop(other, 2, 2)) == LK_STALE && lk_request_count(manager) == 1);
    CHECK(apply(manager, request(other, 3, "b")) == LK_OK);
    CHECK(apply(manager, drop(one, 3, 3)) == LK_STALE && lk_request_count(manager) == 2);
    CHECK(apply(manager, drop(one, 4, 2)) == LK_OK && apply(manager, drop(other, 4, 3)) == LK_OK);
    CHECK(lk_request_count(manager) == 0);
    lk_destroy(manager);
  }
  CHECK(pairs > 3);
  free(handles);
}

/* How many nodes the fullest bucket of [table] has. */
static size_t longest_bucket(const lk_table *table) {
  size_t longest = 0;
  for (size_t i = 0; i <= table->mask; i++) {
    size_t length = 0;
    for (lk_node *node = table->buckets[i]; node; node = node->next) length++;
    if (length > longest) longest = length;
  }
  return longest;
}

/* Clients may end so that the handles of those that stay are multiples of a large number. These do not share a bucket either. */
static void test_sparse_handles(void) {
  enum { MEMBERS = 1000, STRIDE = 256 };
  lk_manager *manager = create_manager(&host, 0);
  char id[16];
  for (uint32_t i = 1; i <= MEMBERS * STRIDE; i++) {
    lk_operation joining = join(1, (snprintf(id, sizeof id, "%u", i), id)), leaving = gone(i);
    CHECK(lk_apply(manager, &joining) == LK_OK);
    if (i % STRIDE) CHECK(lk_apply(manager, &leaving) == LK_OK);
  }
  CHECK(!lk_find_fault(manager) && manager->handles.count == MEMBERS);
  size_t longest = longest_bucket(&manager->handles);
  if (longest >= 16) fprintf(stderr, "%zu members in one bucket\n", longest);
  CHECK(longest < 16);
  lk_destroy(manager);
}

/* The requests of one client that come one after the other do not share buckets, however many there are. */
static void test_consecutive_numbers(void) {
  enum { REQUESTS = 40000 };
  lk_manager *manager = create();
  for (uint32_t i = 0; i < REQUESTS; i++) {
    lk_operation operation = request(1, i + 2, "a");
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  CHECK(manager->requests.count == REQUESTS && longest_bucket(&manager->requests) == 1);
  lk_destroy(manager);
}

/* Each bit of the seed but the lowest one gives a name another hash, so that nobody knows it without the whole seed. */
static void test_seeds(void) {
  lk_name name = (lk_name)encode("name")->units;
  for (uint32_t bit = 1; bit < 32; bit++) {
    for (uint32_t other = 0; other < bit; other++) CHECK(lk_name_hash(1u << bit, name) != lk_name_hash(other ? 1u << other : 0, name));
  }
}

/* As many events as there can be: all are granted in one operation, and end in it. */
static void test_full_room(void) {
  lk_manager *manager = create();
  double number = 2;
  CHECK(apply(manager, request(1, number, "a")) == LK_OK);
  while (manager->requests.count < 200 || manager->requests.count < manager->capacity) {
    lk_operation operation = request(1, ++number, "a");
    operation.hold = 0;
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  size_t count, requests = lk_request_count(manager);
  CHECK(requests == manager->capacity);
  CHECK(apply(manager, drop(1, number + 1, 2)) == LK_OK);
  const lk_event *events = lk_events(manager, &count);
  CHECK(count == 2 * requests - 1 && lk_request_count(manager) == 0);
  CHECK(events[0].type == LK_REMOVED && events[1].type == LK_GRANTED && events[2].type == LK_EXPIRED);
  CHECK(events[count - 1].type == LK_EXPIRED && events[count - 1].number == number);
  lk_destroy(manager);

  /* And a manager may end right after as many have been granted as there were. */
  manager = create();
  CHECK(apply(manager, request(1, 2, "a")) == LK_OK);
  for (number = 2; manager->requests.count < manager->capacity;) CHECK(apply(manager, shared(1, ++number, "a")) == LK_OK);
  CHECK(apply(manager, drop(1, number + 1, 2)) == LK_OK);
  lk_destroy(manager);
}

/* What many requests took is given back when there are few again. */
static void test_shrinking(void) {
  lk_manager *manager = create();
  size_t before = memory.bytes;
  char name[16];
  double number = 1;
  for (int i = 0; i < 20000; i++) {
    lk_operation operation = request(1, ++number, (snprintf(name, sizeof name, "n%d", i), name));
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  size_t most = memory.bytes;
  lk_operation end = gone(1);
  CHECK(lk_apply(manager, &end) == LK_OK);
  for (number = 1; number < 40;) {
    lk_operation operation = request(2, ++number, "x");
    CHECK(lk_apply(manager, &operation) == LK_OK);
    operation = drop(2, number + 1, number);
    number++;
    CHECK(lk_apply(manager, &operation) == LK_OK);
  }
  CHECK(!lk_find_fault(manager));
  CHECK(most > 100 * before && memory.bytes < before + 4096);
  lk_destroy(manager);
}

/* Iteration shows what a snapshot has. */
static void test_iteration(void) {
  lk_manager *manager = create();
  CHECK(!lk_next_request(manager, NULL));
  CHECK(apply(manager, request(1, 2, "a bcd")) == LK_OK);
  CHECK(apply(manager, request(2, 2, "a")) == LK_OK);
  lk_operation limited = shared(1, 3, "e");
  limited.limit = 3;
  limited.hold = 7;
  CHECK(apply(manager, limited) == LK_OK);
  const lk_request *held = lk_next_request(manager, NULL), *second = lk_next_request(manager, held);
  const lk_request *queued = lk_next_request(manager, second);
  CHECK(held && second && queued && !lk_next_request(manager, queued));
  lk_request_state state = lk_describe_request(held);
  CHECK(state.client == 1 && state.number == 2 && state.fence == 1 && state.name_count == 2 && state.deadline == LK_FOREVER);
  state = lk_describe_request(second);
  CHECK(state.mode == LK_SHARED && state.limit == 3 && state.hold == 7 && state.deadline == 7 && state.fence == 2);
  state = lk_describe_request(queued);
  CHECK(state.client == 2 && state.number == 2 && state.fence <= 0 && state.name_count == 1);
  uint16_t units[3] = {0};
  CHECK(lk_request_name(held, 1, units, 2) == 3 && units[0] == 0);
  CHECK(lk_request_name(held, 1, units, 3) == 3 && units[0] == 'b' && units[2] == 'd');
  CHECK(lk_client_id(manager, 2, units, 3) == 3 && units[0] == 't' && lk_client_id(manager, 9, units, 3) == 0);
  CHECK(lk_next_client(manager, 0) == 1 && lk_next_client(manager, 1) == 2);
  CHECK(lk_next_client(manager, 2) == 0 && lk_next_client(manager, 9) == 0);
  lk_destroy(manager);
}

void test_collisions(void) {
  memory = (counts){.fail_at = SIZE_MAX};
  host = counting_allocator(&memory);
  test_equal_name_hashes();
  test_equal_hashes_of_lengths();
  test_equal_request_hashes();
  test_equal_clients();
  test_sparse_handles();
  test_consecutive_numbers();
  test_seeds();
  test_full_room();
  test_shrinking();
  test_iteration();
  CHECK(memory.blocks == 0);
}
