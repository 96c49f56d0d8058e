#include "stream.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint8_t next_byte(stream *stream) {
  if (!stream->left) return 0;
  stream->left--;
  return *stream->at++;
}

/* One to four names out of seven; one can be empty, and one is long. Duplicates happen. */
static void put_names(stream *stream, lk_operation *operation, uint8_t choice) {
  static const uint16_t lengths[] = {1, 1, 1, 1, 0, 2, 9};
  uint32_t count = 1 + (choice >> 6), length = 0;
  if (choice == 255) count = 0;
  for (uint32_t i = 0; i < count; i++, choice = next_byte(stream)) {
    uint16_t name = choice % 7;
    stream->names[length++] = lengths[name];
    stream->names[length++] = 0;
    for (uint16_t j = 0; j < lengths[name]; j++) stream->names[length++] = (uint16_t)(name == 5 ? 0xD800 : name);
  }
  operation->name_count = count;
  operation->names_length = length;
}

static double duration(uint8_t choice) {
  static const double odd[] = {-1, 0.5, NAN, LK_NUMBER_MAX, LK_NUMBER_MAX + 1, -0.0};
  if (choice < 120) return choice % 12;
  return choice < 250 ? LK_FOREVER : odd[choice - 250];
}

lk_operation next_operation(stream *stream, const lk_manager *manager) {
  uint8_t kind = next_byte(stream);
  lk_operation operation = {.names = stream->names, .client = 1 + (kind >> 5) % 7 % 4};
  operation.number = lk_last_number(manager, operation.client) + 1;
  uint8_t choice = next_byte(stream);
  switch (kind % 16) {
  case 0:
  case 1:
    operation.type = LK_JOIN;
    operation.number = 1 + choice % 3;
    put_names(stream, &operation, choice & 63);
    break;
  case 2:
    operation.type = LK_GONE;
    break;
  case 3:
    operation.type = LK_TICK;
    operation.now = lk_time(manager) + duration(choice) - 1;
    break;
  case 4:
    operation.type = LK_FORCE_RELEASE;
    put_names(stream, &operation, choice);
    break;
  case 5:
  case 6:
  case 7:
  case 8:
    operation.type = LK_DROP;
    operation.request = operation.number - choice % 16;
    break;
  case 9:
    operation.number += (double)choice - 128;
    /* fall through */
  default: {
    operation.type = LK_REQUEST;
    put_names(stream, &operation, choice);
    uint8_t how = next_byte(stream);
    operation.mode = how % 2 + (how == 255);
    /* An exclusive request with a limit is refused: that is rare here. */
    if (operation.mode || how == 4) operation.limit = how & 4 ? choice % 4 : 0;
    operation.flags = how < 192 ? 0 : how % 16 / 4;
    operation.wait = how & 2 ? duration(next_byte(stream)) : LK_FOREVER;
    operation.hold = how & 16 ? duration(next_byte(stream)) : LK_FOREVER;
  }
  }
  return operation;
}

lk_manager *begin_stream(const lk_host *host) {
  lk_manager *manager = create_manager(host, 0);
  for (uint16_t id = 1; id <= 3; id++) {
    uint16_t name[] = {1, 0, id};
    lk_operation operation = {.type = LK_JOIN, .number = 1, .name_count = 1, .names_length = 3, .names = name};
    lk_apply(manager, &operation);
  }
  return manager;
}

void stop_at(const char *fault) {
  if (!fault) return;
  fprintf(stderr, "invariant broken: %s\n", fault);
  abort();
}
