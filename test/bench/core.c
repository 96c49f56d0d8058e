/*
 * How long an operation takes in the native core, and how that depends on what there is already. Prints a line for each
 * comparison: nanoseconds per operation of the one and of the other. core.mjs measures the same in Wasm, and says what is compared.
 */
#include "lockkeeper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, PAIRS = 50000, MOST_NAMES = 16 };

/* A manager with one member and [size] requests, oldest first in the ring [numbers]. */
typedef struct bench {
  lk_manager *manager;
  double last;
  double *numbers;
  uint32_t size;
  uint32_t oldest;
  uint32_t serial;
} bench;

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size) return realloc(memory, new_size);
  free(memory);
  return NULL;
}

static double apply(bench *bench, lk_operation operation) {
  operation.client = 1;
  operation.number = ++bench->last;
  if (lk_apply(bench->manager, &operation) != LK_OK) abort();
  return bench->last;
}

/* Asks for [count] names: each has [serial] in it. */
static double ask(bench *bench, uint32_t serial, uint32_t count) {
  uint16_t units[MOST_NAMES * 6];
  for (uint32_t i = 0; i < count; i++) {
    const uint16_t name[] = {4, 0, 'n', (uint16_t)i, (uint16_t)(serial >> 16), (uint16_t)serial};
    memcpy(units + i * 6, name, sizeof name);
  }
  return apply(
      bench,
      (lk_operation){
          .type = LK_REQUEST, .wait = LK_FOREVER, .hold = LK_FOREVER, .name_count = count, .names_length = count * 6, .names = units});
}

static void drop(bench *bench, double number) {
  apply(bench, (lk_operation){.type = LK_DROP, .request = number});
}

static double ask_one_name(bench *bench) {
  return ask(bench, 0, 1);
}

static double ask_new_name(bench *bench) {
  return ask(bench, ++bench->serial, 1);
}

/* One more waits, so that the queue stays as long: the next in line is granted when the thief drops. */
static double steal_one_name(bench *bench) {
  const uint16_t name[] = {4, 0, 'n', 0, 0, 0};
  ask_one_name(bench);
  return apply(bench, (lk_operation){.type = LK_REQUEST,
                                     .flags = LK_STEAL,
                                     .wait = LK_FOREVER,
                                     .hold = LK_FOREVER,
                                     .name_count = 1,
                                     .names_length = 6,
                                     .names = name});
}

static double ask_scope(bench *bench) {
  return ask(bench, ++bench->serial, MOST_NAMES);
}

static void begin(bench *bench, uint32_t size, double (*fill)(struct bench *)) {
  const lk_host host = {reallocate, NULL, 1};
  const uint16_t id[] = {1, 0, 'c'};
  *bench = (struct bench){.numbers = malloc(size * sizeof(double)), .size = size};
  if (lk_create(&host, 0, &bench->manager)) abort();
  apply(bench, (lk_operation){.type = LK_JOIN, .name_count = 1, .names_length = 3, .names = id});
  for (uint32_t i = 0; i < size; i++) bench->numbers[i] = fill(bench);
}

/* Pairs of a request, made by [request], and a drop: of the oldest request there is, or of itself. */
static double pairs(bench *bench, double (*request)(struct bench *), int of_oldest) {
  clock_t start = clock(); /* Processor time: other programs do not count. */
  for (uint32_t i = 0; i < PAIRS; i++) {
    double number = request(bench);
    if (of_oldest) {
      drop(bench, bench->numbers[bench->oldest]);
      bench->numbers[bench->oldest] = number;
      bench->oldest = (bench->oldest + 1) % bench->size;
    } else {
      drop(bench, number);
    }
  }
  return (double)(clock() - start) * (1e9 / CLOCKS_PER_SEC) / (2.0 * PAIRS);
}

/* What is measured: a bench, and what [pairs] does to it. */
typedef struct side {
  bench *bench;
  double (*request)(struct bench *);
  int of_oldest;
} side;

static double least(double a, double b) {
  return a < b ? a : b;
}

static void compare(side one, side other) {
  double first = LK_FOREVER, second = LK_FOREVER;
  for (int round = 0; round < ROUNDS; round++) {
    first = least(first, pairs(one.bench, one.request, one.of_oldest));
    second = least(second, pairs(other.bench, other.request, other.of_oldest));
  }
  printf("%.1f\t%.1f\n", first, second);
}

static void end(bench *bench) {
  lk_destroy(bench->manager);
  free(bench->numbers);
}

int main(void) {
  bench few, many;
  begin(&few, 1000, ask_one_name);
  begin(&many, 1000000, ask_one_name);
  compare((side){&few, ask_one_name, 1}, (side){&many, ask_one_name, 1});
  compare((side){&few, ask_new_name, 0}, (side){&many, ask_new_name, 0});
  compare((side){&few, steal_one_name, 0}, (side){&many, steal_one_name, 0});
  end(&few);
  end(&many);
  begin(&few, 1000, ask_new_name);
  begin(&many, 100000, ask_new_name);
  compare((side){&few, ask_new_name, 1}, (side){&many, ask_new_name, 1});
  compare((side){&few, ask_new_name, 0}, (side){&many, ask_new_name, 0});
  compare((side){&few, ask_new_name, 0}, (side){&few, ask_scope, 0});
  end(&few);
  end(&many);
  return 0;
}
