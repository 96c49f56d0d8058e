/*
 * What the header says of cost, by counting steps: the compiler calls us at each branch that the core takes (-fsanitize-coverage). What an
 * operation takes must not depend on how much else there is. Prints the steps of each, beside few and beside many.
 */
#include "check.h"
#include "internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1000, MANY = 64000, ROUNDS = 64 };

static size_t steps;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  while (start < stop) *start++ = 1;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  (void)guard;
  steps++;
}

/* A manager with members 1 and 2; 1 asks for most of what there is. */
typedef struct bench {
  counts memory;
  lk_manager *manager;
  size_t size;
  double oldest; /* The number of the oldest request that [prepare] has made. */
  double newest; /* And of the newest one; prepare_sparse() alone uses it. */
} bench;

typedef struct scenario {
  const char *name;
  void (*prepare)(bench *bench);
  void (*round)(bench *bench);
} scenario;

static double do_it(bench *bench, lk_operation operation) {
  operation.number = lk_last_number(bench->manager, operation.client) + 1;
  int status = lk_apply(bench->manager, &operation);
  CHECK(status == LK_OK);
  return operation.number;
}

static const char *numbered(const char *prefix, size_t number) {
  static char texts[8][32];
  static unsigned next;
  char *text = texts[next++ % 8];
  snprintf(text, sizeof texts[0], "%s%06zu", prefix, number);
  return text;
}

static double fresh(bench *bench) {
  static size_t serial;
  return do_it(bench, request(1, 0, numbered("new", serial++)));
}

static void prepare_queue(bench *bench) {
  for (size_t i = 0; i < bench->size; i++) {
    double number = do_it(bench, request(1, 0, "one"));
    if (!i) bench->oldest = number;
  }
}

static void round_of_queue(bench *bench) {
  do_it(bench, drop(1, 0, bench->oldest++));
  do_it(bench, request(1, 0, "one"));
}

/* Of very many requests of a client, one in 4096 stays: the low bits of their numbers are the same. */
static void ask_sparsely(bench *bench) {
  bench->newest += 4096;
  lk_set_last(bench->manager, lk_find_member(bench->manager, 1), bench->newest - 1);
  fresh(bench);
}

static void prepare_sparse(bench *bench) {
  for (size_t i = 0; i < bench->size; i++) ask_sparsely(bench);
  bench->oldest = 4096;
}

static void round_of_sparse(bench *bench) {
  do_it(bench, drop(1, 0, bench->oldest));
  bench->oldest += 4096;
  ask_sparsely(bench);
}

static void prepare_names(bench *bench) {
  for (size_t i = 0; i < bench->size; i++) {
    double number = fresh(bench);
    if (!i) bench->oldest = number;
  }
}

static void round_of_names(bench *bench) {
  do_it(bench, drop(1, 0, bench->oldest++));
  fresh(bench);
}

static void round_of_fresh(bench *bench) {
  do_it(bench, drop(1, 0, fresh(bench)));
}

static void round_of_steal(bench *bench) {
  do_it(bench, drop(2, 0, do_it(bench, steal(2, 0, "one"))));
  do_it(bench, request(2, 0, "one"));
}

/* All have got past "one", and wait for "two". */
static void prepare_passed(bench *bench) {
  do_it(bench, request(2, 0, "two"));
  for (size_t i = 0; i < bench->size; i++) do_it(bench, shared(1, 0, "one two"));
}

static void round_of_passed(bench *bench) {
  do_it(bench, drop(2, 0, do_it(bench, steal(2, 0, "one"))));
}

/* One more gets past, waits for the thief alone, and is granted; the others wait for "two" still. */
static void round_of_parked(bench *bench) {
  double holder = do_it(bench, request(2, 0, "three"));
  double waiting = do_it(bench, shared(1, 0, "one three"));
  double thief = do_it(bench, steal(2, 0, "one"));
  do_it(bench, drop(2, 0, holder));
  do_it(bench, drop(2, 0, thief));
  do_it(bench, drop(1, 0, waiting));
}

static void prepare_limited(bench *bench) {
  for (size_t i = 0; i < bench->size; i++) {
    lk_operation operation = shared(1, 0, "one");
    operation.limit = (uint32_t)bench->size / 2;
    double number = do_it(bench, operation);
    if (!i) bench->oldest = number;
  }
}

static void round_of_limited(bench *bench) {
  do_it(bench, drop(1, 0, bench->oldest++));
  lk_operation operation = shared(1, 0, "one");
  operation.limit = (uint32_t)bench->size / 2;
  do_it(bench, operation);
}

static void round_of_gone(bench *bench) {
  lk_operation operation = join(1, numbered("client", 0));
  CHECK(lk_apply(bench->manager, &operation) == LK_OK);
  size_t count;
  uint32_t client = lk_events(bench->manager, &count)->client;
  do_it(bench, request(client, 0, "one"));
  do_it(bench, request(client, 0, "mine"));
  operation = gone(client);
  CHECK(lk_apply(bench->manager, &operation) == LK_OK);
}

static void round_of_refusals(bench *bench) {
  lk_operation operation = request(1, lk_last_number(bench->manager, 1) + 1, "one two one");
  CHECK(lk_apply(bench->manager, &operation) == LK_REFUSED);
  operation = force_release(1, lk_last_number(bench->manager, 1) + 1, "nobody");
  CHECK(lk_apply(bench->manager, &operation) == LK_OK);
}

static void prepare_deadlines(bench *bench) {
  for (size_t i = 0; i < bench->size; i++) {
    lk_operation operation = request(1, 0, numbered("timed", i));
    operation.hold = (double)((i * 7919) % bench->size + 1);
    do_it(bench, operation);
  }
}

static void round_of_deadlines(bench *bench) {
  lk_operation operation = tick(lk_time(bench->manager) + 1);
  CHECK(lk_apply(bench->manager, &operation) == LK_OK);
  CHECK(lk_request_count(bench->manager) < bench->size);
}

static const scenario scenarios[] = {
    {"first in a queue ends, another comes", prepare_queue, round_of_queue},
    {"a new name beside a queue", prepare_queue, round_of_fresh},
    {"one of many names ends, another comes", prepare_names, round_of_names},
    {"one of the few that a client has not ended, and another", prepare_sparse, round_of_sparse},
    {"a steal from a queue, and its drop", prepare_queue, round_of_steal},
    {"a steal from those that wait elsewhere, and its drop", prepare_passed, round_of_passed},
    {"one of those waits for the thief", prepare_passed, round_of_parked},
    {"a semaphore", prepare_limited, round_of_limited},
    {"a client beside a queue is gone", prepare_queue, round_of_gone},
    {"refused, and force-release of nothing", prepare_queue, round_of_refusals},
    {"deadlines", prepare_deadlines, round_of_deadlines},
};

static void begin(bench *bench, size_t size, uint32_t seed) {
  bench->memory = (counts){.fail_at = SIZE_MAX};
  bench->size = size;
  bench->newest = 0;
  lk_host host = counting_allocator(&bench->memory);
  host.seed = seed;
  CHECK(lk_create(&host, 0, &bench->manager) == LK_OK);
  lk_operation first = join(1, "one"), second = join(1, "two");
  CHECK(lk_apply(bench->manager, &first) == LK_OK && lk_apply(bench->manager, &second) == LK_OK);
}

static double steps_of_round(const scenario *scenario, size_t size) {
  bench bench;
  begin(&bench, size, 1);
  scenario->prepare(&bench);
  scenario->round(&bench);
  steps = 0;
  for (int i = 0; i < ROUNDS; i++) scenario->round(&bench);
  double result = (double)steps / ROUNDS;
  lk_destroy(bench.manager);
  return result;
}

/* Names whose hashes, by seed 0, have the same low bits: they all stand in one bucket. */
static const encoded *colliding(uint32_t i) {
  uint16_t units[] = {3, 0, (uint16_t)i, (uint16_t)(i >> 16), 0};
  static encoded result;
  uint32_t hash = lk_name_hash(0, (const uint8_t *)units);
  units[4] = (uint16_t)(0u - hash);
  memcpy(result.units, units, sizeof units);
  result.count = 1;
  result.length = 5;
  return &result;
}

static double steps_of_collisions(uint32_t seed, uint32_t count) {
  bench bench;
  begin(&bench, count, seed);
  steps = 0;
  for (uint32_t i = 0; i < count; i++) {
    lk_operation operation = request(1, 0, "");
    const encoded *name = colliding(i);
    operation.names = name->units;
    operation.name_count = 1;
    operation.names_length = name->length;
    do_it(&bench, operation);
  }
  double result = (double)steps / count;
  lk_destroy(bench.manager);
  return result;
}

/* [count] requests that wait for a thief alone, and came to that in the reverse of the order of their arrival; then it ends. */
static double steps_of_opening(size_t count) {
  bench bench;
  begin(&bench, count, 1);
  double *holders = malloc(count * sizeof *holders);
  for (size_t i = 0; i < count; i++) holders[i] = do_it(&bench, request(2, 0, numbered("n", i)));
  char names[64];
  for (size_t i = 0; i < count; i++) {
    snprintf(names, sizeof names, "one %s", numbered("n", i));
    do_it(&bench, shared(1, 0, names));
  }
  double thief = do_it(&bench, steal(2, 0, "one"));
  for (size_t i = count; i--;) do_it(&bench, drop(2, 0, holders[i]));
  steps = 0;
  do_it(&bench, drop(2, 0, thief));
  double result = (double)steps / (double)count;
  size_t events;
  lk_events(bench.manager, &events);
  CHECK(events == count + 1);
  free(holders);
  lk_destroy(bench.manager);
  return result;
}

/* A request of [count] names, each of which another holds; they are released one by one. */
static double steps_of_scope(uint32_t count) {
  bench bench;
  begin(&bench, count, 1);
  static uint16_t units[4096 * 5];
  double *holders = malloc(count * sizeof *holders);
  for (uint32_t i = 0; i < count; i++) {
    const uint16_t name[] = {3, 0, 'n', (uint16_t)(i >> 8), (uint16_t)(i & 255)};
    memcpy(units + i * 5, name, sizeof name);
    lk_operation operation = request(2, 0, "");
    operation.names = name;
    operation.names_length = 5;
    operation.name_count = 1;
    holders[i] = do_it(&bench, operation);
  }
  steps = 0;
  lk_operation operation = request(1, 0, "");
  operation.names = units;
  operation.names_length = count * 5;
  operation.name_count = count;
  double number = do_it(&bench, operation);
  for (uint32_t i = 0; i < count; i++) do_it(&bench, drop(2, 0, holders[i]));
  CHECK(lk_describe_request(lk_next_request(bench.manager, NULL)).number == number);
  do_it(&bench, drop(1, 0, number));
  double result = (double)steps / count;
  free(holders);
  lk_destroy(bench.manager);
  return result;
}

static void compare(const char *name, double few, double many, double most) {
  printf("%-60s %8.1f %8.1f\n", name, few, many);
  if (many > few * most) fprintf(stderr, "%s: %.1f steps beside few, %.1f beside many\n", name, few, many);
  CHECK(many <= few * most);
}

int main(void) {
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    /* Half as much again, since hash chains and heaps differ. */
    compare(scenarios[i].name, steps_of_round(&scenarios[i], FEW), steps_of_round(&scenarios[i], MANY), 1.5);
  }
  compare("names that collide, the seed unknown", steps_of_collisions(77, FEW), steps_of_collisions(77, 20000), 1.5);
  compare("requests that wait for a thief alone", steps_of_opening(FEW), steps_of_opening(16000), 2);
  compare("scopes, name by name", steps_of_scope(64), steps_of_scope(4096), 1.5);
  /* Steps are counted at all, and the names do collide. */
  double known = steps_of_collisions(0, 20000), unknown = steps_of_collisions(77, 20000);
  printf("%-60s %8.1f %8.1f\n", "names that collide, the seed known", unknown, known);
  CHECK(known > 100 * unknown && unknown > 10);
  return 0;
}
