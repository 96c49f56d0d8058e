/* What the C tests have in common: checks, and operations that are easily written. */
#ifndef CHECK_H
#define CHECK_H

#include "allocator.h"
#include "invariants.h"
#include <stdbool.h>

/* Ends the program with [line] when [condition] does not hold. */
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

void check(bool condition, const char *text, const char *file, int line);

/* Names as operations carry them. */
typedef struct encoded {
  uint16_t units[512];
  uint32_t length;
  uint32_t count;
} encoded;

/* [names] has one name a word, "" none. The result is kept until the next but seven calls. */
const encoded *encode(const char *names);

lk_operation join(double number, const char *id);
lk_operation request(uint32_t client, double number, const char *names);
lk_operation shared(uint32_t client, double number, const char *names);
lk_operation steal(uint32_t client, double number, const char *names);
lk_operation drop(uint32_t client, double number, double dropped);
lk_operation force_release(uint32_t client, double number, const char *names);
lk_operation gone(uint32_t client);
lk_operation tick(double now);

/* Applies it and checks all invariants. */
int apply(lk_manager *manager, lk_operation operation);

/* Whether the last events were these; each word is a type's first letter, a client and a number: "g1.2 r1.3". */
bool had_events(const lk_manager *manager, const char *expected);

/* collisions.c */
void test_collisions(void);

/* forged.c */
void test_forged_snapshots(void);

/* large.c */
void test_large_names(void);

/* failing.c */
void test_allocation_failures(void);

#endif
