#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check(bool condition, const char *text, const char *file, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
  exit(1);
}

const encoded *encode(const char *names) {
  static encoded ring[8];
  static unsigned next;
  encoded *result = &ring[next++ % 8];
  result->length = result->count = 0;
  while (*names) {
    size_t length = strcspn(names, " ");
    result->units[result->length++] = (uint16_t)length;
    result->units[result->length++] = 0;
    for (size_t i = 0; i < length; i++) result->units[result->length++] = (uint8_t)names[i];
    result->count++;
    names += length + (names[length] == ' ');
  }
  return result;
}

static lk_operation make(lk_operation_type type, uint32_t client, double number, const char *names) {
  const encoded *list = encode(names);
  return (lk_operation){.type = type,
                        .client = client,
                        .number = number,
                        .wait = LK_FOREVER,
                        .hold = LK_FOREVER,
                        .name_count = list->count,
                        .names_length = list->length,
                        .names = list->units};
}

lk_operation join(double number, const char *id) {
  return make(LK_JOIN, 0, number, id);
}

lk_operation request(uint32_t client, double number, const char *names) {
  return make(LK_REQUEST, client, number, names);
}

lk_operation shared(uint32_t client, double number, const char *names) {
  lk_operation operation = request(client, number, names);
  operation.mode = LK_SHARED;
  return operation;
}

lk_operation steal(uint32_t client, double number, const char *names) {
  lk_operation operation = request(client, number, names);
  operation.flags = LK_STEAL;
  return operation;
}

lk_operation drop(uint32_t client, double number, double dropped) {
  lk_operation operation = make(LK_DROP, client, number, "");
  operation.request = dropped;
  return operation;
}

lk_operation force_release(uint32_t client, double number, const char *names) {
  return make(LK_FORCE_RELEASE, client, number, names);
}

lk_operation gone(uint32_t client) {
  return make(LK_GONE, client, 0, "");
}

lk_operation tick(double now) {
  lk_operation operation = make(LK_TICK, 0, 0, "");
  operation.now = now;
  return operation;
}

int apply(lk_manager *manager, lk_operation operation) {
  int status = lk_apply(manager, &operation);
  const char *fault = lk_find_fault(manager);
  if (fault) fprintf(stderr, "after an operation of type %u: %s\n", operation.type, fault);
  CHECK(!fault);
  return status;
}

bool had_events(const lk_manager *manager, const char *expected) {
  static const char letters[] = " gubrej";
  char text[4096] = "";
  size_t count;
  const lk_event *events = lk_events(manager, &count);
  CHECK((uintptr_t)events % sizeof(double) == 0);
  for (size_t i = 0; i < count; i++) {
    char one[64];
    snprintf(one, sizeof one, "%s%c%u.%.0f", i ? " " : "", letters[events[i].type], events[i].client, events[i].number);
    strncat(text, one, sizeof text - strlen(text) - 1);
  }
  if (strcmp(text, expected)) fprintf(stderr, "events: %s\nexpected: %s\n", text, expected);
  return !strcmp(text, expected);
}
