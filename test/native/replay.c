/*
 * Replays operations from its standard input, for harnesses in other languages. It answers every command on its standard output,
 * in order, and ends when the input ends. A harness may write many commands before it reads: answers are sent whenever the
 * input has nothing more to offer. After each command the invariants of csrc/invariants.c are checked; a fault ends the program
 * with code 1 and a line on the standard error.
 *
 * Everything is little-endian and unaligned; u8, u32, i32 and f64 as usual. There are SLOTS managers, all empty at first, with no
 * fence given. A command is a u8, its slot another, and then:
 *
 *   0 reset    f64 fence                  An empty manager in the slot. Answer: i32 status.
 *   1 apply    u32 type, u32 client, f64 number, f64 request, f64 wait, f64 hold, f64 now, u32 mode, u32 limit, u32 flags, u32 name count,
 *              u32 names length, names (so many u16)
 *                                         Answer: i32 status, u32 events, each: u32 type, u32 client, f64 number, f64 fence.
 *   2 look                                Answer: f64 time, f64 next deadline, u32 requests, u32 hash, u32 size, snapshot (so many u8),
 *                                         u32 members, each: u32 client, name; and the requests, each: u32 client, f64 number,
 *                                         u32 mode, u32 limit, u32 name count, names, f64 fence, f64 deadline, f64 hold;
 *                                         and about each of them: u32 whether it is undisputed, u32 what others do with its names.
 *                                         Name: u32 length, so many u16.
 *   3 restore  u32 size, u8 bytes         Restores a snapshot into the slot; a refused one changes nothing. Answer: i32 status.
 *   4 copy     u8 slot                    The same with the present snapshot of that other slot. Answer: i32 status.
 *   5 raise    f64 fence                  Fences go on above it. Answer: i32 status.
 */
#include "allocator.h"
#include "invariants.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 4, RESET = 0, APPLY = 1, LOOK = 2, RESTORE = 3, COPY = 4, RAISE = 5 };

static counts memory = {.fail_at = SIZE_MAX};
static lk_host host;
static lk_manager *managers[SLOTS];

static uint8_t input[1 << 16];
static size_t input_start, input_end;

static void fail(const char *reason) {
  fflush(stdout);
  fprintf(stderr, "replay: %s\n", reason);
  exit(1);
}

/* Makes at least one byte of input available; false at its end. */
static int fill(void) {
  if (input_start < input_end) return 1;
  fflush(stdout);
  ssize_t count = read(STDIN_FILENO, input, sizeof input);
  input_start = 0;
  input_end = count > 0 ? (size_t)count : 0;
  return count > 0;
}

static void get(void *target, size_t size) {
  for (uint8_t *to = target; size;) {
    if (!fill()) fail("the input ends within a command");
    size_t part = input_end - input_start < size ? input_end - input_start : size;
    memcpy(to, input + input_start, part);
    input_start += part;
    to += part;
    size -= part;
  }
}

static uint32_t get_word(void) {
  uint32_t value;
  get(&value, sizeof value);
  return value;
}

static double get_number(void) {
  double value;
  get(&value, sizeof value);
  return value;
}

/* The caller frees it. */
static void *get_block(size_t size) {
  void *block = malloc(size ? size : 1);
  if (!block) fail("no memory");
  get(block, size);
  return block;
}

static void put(const void *source, size_t size) {
  if (fwrite(source, 1, size, stdout) != size) fail("the output cannot be written");
}

static void put_word(uint32_t value) {
  put(&value, sizeof value);
}

static void put_number(double value) {
  put(&value, sizeof value);
}

static void reset(lk_manager **manager) {
  double fence = get_number();
  lk_manager *empty = create_manager(&host, fence);
  if (empty) {
    lk_destroy(*manager);
    *manager = empty;
  }
  put_word((uint32_t)(empty ? LK_OK : LK_INVALID));
}

static void apply(lk_manager *manager) {
  lk_operation operation;
  operation.type = get_word();
  operation.client = get_word();
  operation.number = get_number();
  operation.request = get_number();
  operation.wait = get_number();
  operation.hold = get_number();
  operation.now = get_number();
  operation.mode = get_word();
  operation.limit = get_word();
  operation.flags = get_word();
  operation.name_count = get_word();
  operation.names_length = get_word();
  uint16_t *names = get_block((size_t)operation.names_length * 2);
  operation.names = names;
  int status = lk_apply(manager, &operation);
  free(names);
  size_t count;
  const lk_event *events = lk_events(manager, &count);
  put_word((uint32_t)status);
  put_word((uint32_t)count);
  for (size_t i = 0; i < count; i++) {
    put_word(events[i].type);
    put_word(events[i].client);
    put_number(events[i].number);
    put_number(events[i].fence);
  }
}

/* The caller frees it. */
static uint8_t *take_snapshot(const lk_manager *manager, size_t *size) {
  *size = lk_snapshot(manager, NULL, 0);
  uint8_t *bytes = malloc(*size);
  if (!bytes) fail("no memory");
  lk_snapshot(manager, bytes, *size);
  return bytes;
}

static void put_name(const uint16_t *units, uint32_t length) {
  put_word(length);
  put(units, length * sizeof *units);
}

static void put_members(const lk_manager *manager) {
  static uint16_t units[4096];
  uint32_t count = 0;
  for (uint32_t client = 0; (client = lk_next_client(manager, client));) count++;
  put_word(count);
  for (uint32_t client = 0; (client = lk_next_client(manager, client));) {
    put_word(client);
    put_name(units, lk_client_id(manager, client, units, sizeof units / sizeof *units));
  }
}

static void put_requests(const lk_manager *manager) {
  static uint16_t units[4096];
  for (const lk_request *request = NULL; (request = lk_next_request(manager, request));) {
    lk_request_state state = lk_describe_request(request);
    put_word(state.client);
    put_number(state.number);
    put_word(state.mode);
    put_word(state.limit);
    put_word(state.name_count);
    for (uint32_t i = 0; i < state.name_count; i++) put_name(units, lk_request_name(request, i, units, sizeof units / sizeof *units));
    put_number(state.fence);
    put_number(state.deadline);
    put_number(state.hold);
  }
}

static void put_uses(const lk_manager *manager) {
  static uint16_t name[2 + 4096];
  for (const lk_request *request = NULL; (request = lk_next_request(manager, request));) {
    lk_request_state state = lk_describe_request(request);
    uint32_t others = LK_UNUSED;
    for (uint32_t i = 0; i < state.name_count; i++) {
      uint32_t length = lk_request_name(request, i, name + 2, 4096);
      memcpy(name, &length, sizeof length);
      uint32_t use = (uint32_t)lk_use_by_others(manager, state.client, name, 2 + length);
      if (use > others) others = use;
    }
    put_word(lk_is_undisputed(manager, state.client, state.number));
    put_word(others);
  }
}

static void look(const lk_manager *manager) {
  size_t size;
  uint8_t *bytes = take_snapshot(manager, &size);
  put_number(lk_time(manager));
  put_number(lk_next_deadline(manager));
  put_word((uint32_t)lk_request_count(manager));
  put_word(lk_hash(manager));
  put_word((uint32_t)size);
  put(bytes, size);
  free(bytes);
  put_members(manager);
  put_requests(manager);
  put_uses(manager);
}

/* Frees [bytes]. */
static void restore(lk_manager **manager, uint8_t *bytes, size_t size) {
  lk_manager *restored;
  int status = lk_restore(&host, bytes, size, &restored);
  free(bytes);
  if (!status) {
    lk_destroy(*manager);
    *manager = restored;
  }
  put_word((uint32_t)status);
}

static lk_manager **get_slot(void) {
  uint8_t slot;
  get(&slot, 1);
  if (slot >= SLOTS) fail("there is no such slot");
  return &managers[slot];
}

static void obey(void) {
  uint8_t command;
  get(&command, 1);
  lk_manager **manager = get_slot();
  size_t size;
  switch (command) {
  case RESET:
    reset(manager);
    break;
  case APPLY:
    apply(*manager);
    break;
  case LOOK:
    look(*manager);
    break;
  case RESTORE:
    size = get_word();
    restore(manager, get_block(size), size);
    break;
  case RAISE:
    put_word((uint32_t)lk_raise_fence(*manager, get_number()));
    break;
  case COPY: {
    uint8_t *bytes = take_snapshot(*get_slot(), &size);
    restore(manager, bytes, size);
    break;
  }
  default:
    fail("there is no such command");
  }
  const char *fault = lk_find_fault(*manager);
  if (fault) fail(fault);
}

int main(void) {
  host = counting_allocator(&memory);
  for (size_t i = 0; i < SLOTS; i++) managers[i] = create_manager(&host, 0);
  while (fill()) obey();
  for (size_t i = 0; i < SLOTS; i++) lk_destroy(managers[i]);
  if (memory.blocks) fail("memory is left over");
  return 0;
}
