#include "internal.h"

/* Counts what is written; writes it if [bytes] is given. */
typedef struct writer {
  uint8_t *bytes;
  size_t size;
} writer;

static void put(writer *out, const void *source, size_t size) {
  if (out->bytes) __builtin_memcpy(out->bytes + out->size, source, size);
  out->size += size;
}

/* Puts the members of the struct at [pointer] from [first] to [last], which follow each other without a gap. */
#define PUT(out, type, pointer, first, last)                                                                                               \
  put((out), (const uint8_t *)(pointer) + offsetof(type, first), offsetof(type, last) + sizeof((pointer)->last) - offsetof(type, first))

_Static_assert(offsetof(lk_request, hold) - offsetof(lk_request, fence) == 2 * sizeof(double), "fence, deadline, hold");
_Static_assert(offsetof(lk_manager, last_handle) - offsetof(lk_manager, time) == 2 * sizeof(double), "time, fence, last_handle");

static void put_name(writer *out, lk_name name) {
  put(out, name, lk_name_size(name));
}

static void put_length(writer *out, const lk_list *list) {
  uint32_t length = 0;
  for (const lk_list *item = list->next; item != list; item = item->next) length++;
  put(out, &length, sizeof length);
}

static void put_requests(writer *out, const lk_list *list) {
  for (const lk_list *item = list->next; item != list; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_all, item);
    PUT(out, lk_member, request->member, handle, handle);
    PUT(out, lk_request, request, number, number);
    PUT(out, lk_request, request, mode, mode);
    PUT(out, lk_request, request, fence, hold);
    PUT(out, lk_request, request, link_count, link_count);
    for (uint32_t i = 0; i < request->link_count; i++) put_name(out, request->links[i].resource->name);
  }
}

static size_t put_state(const lk_manager *manager, uint8_t *bytes) {
  uint32_t format = LK_SNAPSHOT_FORMAT;
  writer out = {bytes, 0};
  put(&out, &format, sizeof format);
  PUT(&out, lk_manager, manager, time, last_handle);
  put_length(&out, &manager->members);
  for (const lk_list *item = manager->members.next; item != &manager->members; item = item->next) {
    const lk_member *member = LK_OWNER(const lk_member, joined, item);
    PUT(&out, lk_member, member, handle, handle);
    PUT(&out, lk_member, member, last, last);
    put_name(&out, member->id);
  }
  put_length(&out, &manager->held);
  put_length(&out, &manager->queued);
  put_requests(&out, &manager->held);
  put_requests(&out, &manager->queued);
  return out.size;
}

size_t lk_snapshot(const lk_manager *manager, uint8_t *bytes, size_t capacity) {
  size_t size = put_state(manager, NULL);
  if (size <= capacity && bytes) put_state(manager, bytes);
  return size;
}

static uint32_t get_word(lk_reader *in) {
  uint32_t value;
  lk_read(in, &value, sizeof value);
  return value;
}

/* No number of a state is negative, zero included, or NaN; so what looks so is refused here. */
static double get_number(lk_reader *in) {
  uint64_t bits;
  lk_read(in, &bits, sizeof bits);
  if (bits > 0x7FF0000000000000u) in->bad = true;
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static int get_member(lk_manager *manager, lk_reader *in, uint32_t last_handle) {
  uint32_t handle = get_word(in);
  double last = get_number(in);
  lk_name id = lk_read_name(in);
  if (in->bad || lk_is_empty(id) || handle <= manager->last_handle || handle > last_handle || last < 1 || !lk_is_number(last)) {
    return LK_BAD_SNAPSHOT;
  }
  return lk_add_member(manager, id, handle, last);
}

/* The fence of the last one that [list] has, or 0. */
static double last_fence(const lk_list *list) {
  return lk_list_empty(list) ? 0 : LK_OWNER(lk_request, in_all, list->previous)->fence;
}

/* The number of the last one that [list], a member's, has, or 1: its join had that, or a greater one. */
static double last_number(const lk_list *list) {
  return lk_list_empty(list) ? 1 : LK_OWNER(lk_request, in_member, list->previous)->number;
}

static int get_request(lk_manager *manager, lk_reader *in, bool held) {
  uint32_t handle = get_word(in);
  double number = get_number(in);
  uint32_t mode = get_word(in);
  double fence = get_number(in);
  double deadline = get_number(in);
  double hold = get_number(in);
  uint32_t count = get_word(in);
  lk_member *member = lk_find_member(manager, handle);
  double time = manager->time;
  if (in->bad || !member || !lk_is_number(number) || number > member->last || lk_find_request(manager, handle, number) ||
      mode > LK_SHARED || !lk_is_duration(hold) || deadline != __builtin_floor(deadline)) {
    return LK_BAD_SNAPSHOT;
  }
  /* When it began to be held or to wait was in the past, and what is overdue would have expired. */
  bool right = held ? fence > last_fence(&manager->held) && fence <= manager->fence && lk_is_number(fence) && number > 1 &&
                          deadline >= time && deadline >= hold && deadline <= time + hold
                    : !(fence > 0) && number > last_number(&member->queued) && deadline > time &&
                          (deadline <= time + LK_NUMBER_MAX || deadline == LK_FOREVER);
  if (!right) return LK_BAD_SNAPSHOT;

  lk_request *request;
  int status = lk_new_request(manager, in, count, &request);
  if (status) {
    lk_process_touched(manager);
    return status;
  }
  request->member = member;
  request->number = number;
  request->mode = mode;
  request->hold = hold;
  if (held) {
    right = lk_hold_links(request);
    lk_add_request(manager, request, fence, deadline);
  } else {
    lk_enqueue(manager, request, deadline);
  }
  lk_process_touched(manager);
  return right && (held || !request->fence) ? LK_OK : LK_BAD_SNAPSHOT;
}

static int get_state(lk_manager *manager, lk_reader *in) {
  if (get_word(in) != LK_SNAPSHOT_FORMAT) return LK_BAD_SNAPSHOT;
  double time = get_number(in);
  double fence = get_number(in);
  if (in->bad || !lk_is_number(time) || !lk_is_number(fence)) return LK_BAD_SNAPSHOT;
  manager->time = time;
  manager->fence = fence;
  uint32_t last_handle = get_word(in);
  int status = LK_OK;
  for (uint32_t left = get_word(in); left && !status; left--) status = get_member(manager, in, last_handle);
  manager->last_handle = last_handle;
  uint32_t held = get_word(in);
  uint32_t queued = get_word(in);
  if (fence + (double)queued > LK_NUMBER_MAX) return LK_BAD_SNAPSHOT;
  for (; held && !status; held--) status = get_request(manager, in, true);
  for (; queued && !status; queued--) status = get_request(manager, in, false);
  if (status == LK_OUT_OF_MEMORY) return status;
  return status || in->bad || in->left ? LK_BAD_SNAPSHOT : LK_OK;
}

int lk_restore(const lk_allocator *allocator, const uint8_t *bytes, size_t size, lk_manager **result) {
  lk_reader in = {bytes, size, false, false};
  *result = NULL;
  lk_manager *manager = lk_create(allocator, 0);
  if (!manager) return LK_OUT_OF_MEMORY;
  int status = get_state(manager, &in);
  if (status) {
    lk_destroy(manager);
  } else {
    *result = manager;
  }
  return status;
}
