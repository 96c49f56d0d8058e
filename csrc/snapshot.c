#include "internal.h"

/* Writes [size] bytes at [place] of [bytes], or nowhere if that is NULL; returns the place behind them. */
static size_t put(uint8_t *bytes, size_t place, const void *source, size_t size) {
  if (bytes) __builtin_memcpy(bytes + place, source, size);
  return place + size;
}

/* What a snapshot begins with. */
typedef struct __attribute__((packed)) header {
  uint32_t format;
  uint32_t members;
  double time;
  double fence;
  uint32_t last_handle;
  uint32_t held;
  uint32_t queued;
} header;

/* What stands before a member's id: the end of lk_member. */
typedef struct __attribute__((packed)) member_record {
  double last;
  uint32_t handle;
} member_record;

/* What stands before a request's names: the end of lk_request. */
typedef struct __attribute__((packed)) request_record {
  double number;
  double fence;
  double deadline;
  double hold;
  uint32_t client;
  uint32_t mode;
  uint32_t names;
} request_record;

_Static_assert(offsetof(lk_member, id_bytes) - offsetof(lk_member, last) == sizeof(member_record), "member");
_Static_assert(offsetof(lk_request, link_count) - offsetof(lk_request, number) == offsetof(request_record, names), "request");

static uint32_t length_of(const lk_list *list) {
  uint32_t length = 0;
  for (const lk_list *item = list->next; item != list; item = item->next) length++;
  return length;
}

static size_t put_requests(uint8_t *bytes, size_t place, const lk_list *list) {
  for (const lk_list *item = list->next; item != list; item = item->next) {
    const lk_request *request = LK_OWNER(const lk_request, in_all, item);
    place = put(bytes, place, &request->number, sizeof(request_record));
    for (uint32_t i = 0; i < request->link_count; i++) {
      lk_name name = request->links[i].resource->name.name;
      place = put(bytes, place, name, lk_name_size(name));
    }
  }
  return place;
}

static size_t put_state(const lk_manager *manager, uint8_t *bytes) {
  if (bytes) {
    *(header *)(void *)bytes =
        (header){LK_SNAPSHOT_FORMAT,        length_of(&manager->members), manager->time, manager->fence, manager->last_handle,
                 length_of(&manager->held), length_of(&manager->queued)};
  }
  size_t place = sizeof(header);
  for (const lk_list *item = manager->members.next; item != &manager->members; item = item->next) {
    const lk_member *member = LK_OWNER(const lk_member, joined, item);
    place = put(bytes, place, &member->last, sizeof(member_record) + lk_name_size(member->id.name));
  }
  return put_requests(bytes, put_requests(bytes, place, &manager->held), &manager->queued);
}

size_t lk_snapshot(const lk_manager *manager, uint8_t *bytes, size_t capacity) {
  size_t size = put_state(manager, NULL);
  if (size <= capacity && bytes) put_state(manager, bytes);
  return size;
}

/* A sign is wrong even before a zero: equal states have equal bytes. */
static bool is_signed(double value) {
  return __builtin_signbit(value);
}

static int get_member(lk_manager *manager, uint32_t last_handle) {
  const member_record *record = lk_read(manager, sizeof *record);
  if (!record || record->handle <= manager->last_handle || record->handle > last_handle) return LK_BAD_SNAPSHOT;
  return lk_add_member(manager, record->handle, record->last);
}

/* The number of the last one that [list], a member's, has, or 1: its join had that, or a greater one. */
static double last_number(const lk_list *list) {
  return lk_list_empty(list) ? 1 : LK_OWNER(lk_request, in_member, list->previous)->number;
}

/* [last_fence] is the manager's, where the request is held; else 0. */
static int get_request(lk_manager *manager, double last_fence) {
  const request_record *record = lk_read(manager, sizeof *record);
  if (!record) return LK_BAD_SNAPSHOT;
  double number = record->number, fence = record->fence, deadline = record->deadline, hold = record->hold, time = manager->time;
  lk_member *member = lk_find_member(manager, record->client);
  if (!member || !lk_is_number(number) || number > member->last || lk_find_request(manager, record->client, number) || is_signed(hold) ||
      deadline != __builtin_floor(deadline) || is_signed(deadline) || is_signed(fence)) {
    return LK_BAD_SNAPSHOT;
  }
  /* When it began to be held or to wait was in the past, and what is overdue would have expired. */
  bool right = last_fence ? fence > manager->fence && fence <= last_fence && lk_is_number(fence) && number > 1 && deadline >= time &&
                                deadline >= hold && deadline <= time + hold
                          : fence <= 0 && number > last_number(&member->queued) && deadline > time &&
                                (deadline <= time + LK_NUMBER_MAX || deadline == LK_FOREVER);
  if (!right) return LK_BAD_SNAPSHOT;

  int status = lk_new_request(manager, member, number, record->mode, hold, record->names);
  if (status) {
    lk_process_touched(manager);
    return status;
  }
  lk_request *request = manager->new_request;
  if (last_fence) {
    manager->fence = fence;
    right = lk_hold_links(request);
    lk_add_request(manager, request, fence, deadline);
  } else {
    lk_enqueue(manager, request, deadline);
  }
  lk_process_touched(manager);
  return right && (last_fence || !request->fence) ? LK_OK : LK_BAD_SNAPSHOT;
}

/* What must only rise is, while it is read, that of the last one read. */
int lk_load(lk_manager *manager, const uint8_t *bytes, size_t size) {
  manager->in = (lk_reader){bytes, size, SIZE_MAX};
  const header *begin = lk_read(manager, sizeof *begin);
  if (!begin || begin->format != LK_SNAPSHOT_FORMAT || !lk_is_number(begin->time) || is_signed(begin->time) ||
      !lk_is_number(begin->fence) || is_signed(begin->fence) || begin->fence + (double)begin->queued > LK_NUMBER_MAX ||
      (begin->held && begin->fence <= 0)) {
    return LK_BAD_SNAPSHOT;
  }
  manager->time = begin->time;
  int status = LK_OK;
  for (uint32_t left = begin->members; left && !status; left--) status = get_member(manager, begin->last_handle);
  manager->last_handle = begin->last_handle;
  for (uint32_t left = begin->held; left && !status; left--) status = get_request(manager, begin->fence);
  manager->fence = begin->fence;
  for (uint32_t left = begin->queued; left && !status; left--) status = get_request(manager, 0);
  if (status == LK_OUT_OF_MEMORY) return status;
  return status || manager->in.left ? LK_BAD_SNAPSHOT : LK_OK;
}

int lk_restore(const lk_allocator *allocator, const uint8_t *bytes, size_t size, lk_manager **result) {
  *result = NULL;
  lk_manager *manager = lk_create(allocator, 0);
  if (!manager) return LK_OUT_OF_MEMORY;
  int status = lk_load(manager, bytes, size);
  if (status) {
    lk_destroy(manager);
  } else {
    *result = manager;
  }
  return status;
}
