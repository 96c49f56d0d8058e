#include "internal.h"

/* The beginning of a snapshot. */
typedef struct __attribute__((packed)) header {
  uint32_t format;
  uint32_t members;
  double time;
  double fence;
  uint32_t last_handle;
  uint32_t names;
  uint32_t held;
  uint32_t queued;
} header;

/* The part before a member's id: the end of lk_member. */
typedef struct __attribute__((packed)) member_record {
  double last;
  uint32_t handle;
} member_record;

/* The part before the places of a request's names: the end of lk_request. */
typedef struct __attribute__((packed)) request_record {
  double number;
  double fence;
  double deadline;
  double hold;
  uint32_t client;
  uint32_t mode;
  uint32_t limit;
  uint32_t names;
} request_record;

_Static_assert(offsetof(lk_member, id_bytes) - offsetof(lk_member, last) == sizeof(member_record), "member");
_Static_assert(offsetof(lk_request, links) - offsetof(lk_request, number) == sizeof(request_record), "request");
/* The state that a snapshot contains is in memory and takes no less there, so the snapshot's size fits a size_t. */
_Static_assert(sizeof(header) <= sizeof(lk_manager) && sizeof(uint32_t) <= sizeof(lk_link), "size");

/* Writes bytes, or compares them with existing ones. If [bytes] is NULL, it only counts them. */
typedef struct writer {
  uint8_t *bytes;
  size_t size;
  bool compares;
  bool differs;
} writer;

static void put(writer *writer, const void *source, size_t size) {
  if (writer->compares) {
    if (__builtin_memcmp(writer->bytes + writer->size, source, size)) writer->differs = true;
  } else if (writer->bytes) {
    __builtin_memcpy(writer->bytes + writer->size, source, size);
  }
  writer->size += size;
}

static uint32_t length_of(const lk_list *list) {
  uint32_t length = 0;
  for (const lk_list *item = list->next; item != list; item = item->next) length++;
  return length;
}

/* Whether [link] is the first one of its name in a snapshot. Held links come before queued ones, in the order of each name's lists. */
static bool is_first(const lk_link *link) {
  const lk_resource *resource = link->resource;
  return &link->place == (lk_list_empty(&resource->held) ? &resource->queue : &resource->held)->next;
}

static uint32_t put_names(writer *writer, const lk_manager *manager) {
  uint32_t count = 0;
  for (const lk_request *request = NULL; (request = lk_next_request(manager, request));) {
    for (uint32_t i = 0; i < request->link_count; i++) {
      lk_resource *resource = request->links[i].resource;
      if (!is_first(&request->links[i])) continue;
      resource->place = count++;
      put(writer, resource->name.name, lk_name_size(resource->name.name));
    }
  }
  return count;
}

static size_t put_state(writer *writer, const lk_manager *manager) {
  writer->size = sizeof(header);
  for (const lk_list *item = manager->members.next; item != &manager->members; item = item->next) {
    const lk_member *member = LK_OWNER(const lk_member, joined, item);
    put(writer, &member->last, sizeof(member_record));
    put(writer, member->id.name, lk_name_size(member->id.name));
  }
  uint32_t names = put_names(writer, manager);
  for (const lk_request *request = NULL; (request = lk_next_request(manager, request));) {
    put(writer, &request->number, sizeof(request_record));
    for (uint32_t i = 0; i < request->link_count; i++) put(writer, &request->links[i].resource->place, sizeof(uint32_t));
  }
  size_t size = writer->size;
  header header = {LK_SNAPSHOT_FORMAT,
                   length_of(&manager->members),
                   manager->time,
                   manager->fence,
                   manager->last_handle,
                   names,
                   length_of(&manager->held.place),
                   length_of(&manager->queued.place)};
  writer->size = 0;
  put(writer, &header, sizeof header);
  return size;
}

size_t lk_snapshot(const lk_manager *manager, uint8_t *bytes, size_t capacity) {
  writer writer = {NULL, 0, false, false};
  size_t size = put_state(&writer, manager);
  if (size <= capacity && bytes) {
    writer.bytes = bytes;
    put_state(&writer, manager);
  }
  return size;
}

/* Equal states have equal bytes, so bytes other than this state's own are no snapshot of it. */
static bool is_snapshot(const lk_manager *manager, const uint8_t *bytes, size_t size) {
  if (lk_snapshot(manager, NULL, 0) != size) return false;
  writer writer = {(uint8_t *)bytes, 0, true, false};
  put_state(&writer, manager);
  return !writer.differs;
}

/* Copies the next [size] bytes to [target]; false if fewer are left. */
static bool get(lk_reader *reader, void *target, size_t size) {
  const uint8_t *bytes = lk_read(reader, size);
  if (bytes) __builtin_memcpy(target, bytes, size);
  return bytes;
}

static int get_member(lk_manager *manager, lk_reader *reader, uint32_t last_handle) {
  member_record record;
  if (!get(reader, &record, sizeof record) || record.handle <= manager->last_handle || record.handle > last_handle) return LK_BAD_SNAPSHOT;
  return lk_add_member(manager, lk_read_name(reader), record.handle, record.last);
}

/* The names of a snapshot. */
typedef struct names {
  lk_resource **resources;
  uint32_t count;
} names;

static int get_names(lk_manager *manager, lk_reader *reader, const names *names) {
  for (uint32_t i = 0; i < names->count; i++) {
    lk_name name = lk_read_name(reader);
    if (!name) return LK_BAD_SNAPSHOT;
    names->resources[i] = lk_find_or_add_resource(manager, name);
    if (!names->resources[i]) return LK_OUT_OF_MEMORY;
  }
  return LK_OK;
}

/* Touches the resources of the next [count] places. */
static bool touch_places(lk_manager *manager, lk_reader *reader, const names *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t place;
    if (!get(reader, &place, sizeof place) || place >= names->count || lk_is_touched(names->resources[place])) return false;
    lk_touch(manager, names->resources[place]);
  }
  return count;
}

/* Whether the record of a held or queued request is valid by itself. */
static bool is_possible(const lk_manager *manager, const lk_member *member, const request_record *record, bool held) {
  double number = record->number, fence = record->fence, deadline = record->deadline, hold = record->hold;
  if (!member || !lk_is_number(number) || number <= 1 || number > member->last || lk_find_request(manager, member, number)) return false;
  if (record->mode > LK_SHARED || (record->limit && !record->mode) || !lk_is_duration(hold)) return false;
  /* A request that is due would have expired. */
  if (!lk_is_duration(deadline) || deadline <= manager->time) return false;
  if (held) {
    /* It was granted in the past. A deadline too late to come is LK_FOREVER. */
    return fence > manager->fence && lk_is_number(fence) &&
           (deadline == LK_FOREVER ? hold == LK_FOREVER || !lk_is_duration(manager->time + hold)
                                   : deadline >= hold && deadline <= manager->time + hold);
  }
  const lk_list *earlier = &member->queued;
  return lk_list_empty(earlier) || number > LK_OWNER(lk_request, in_member, earlier->previous)->number;
}

static int get_request(lk_manager *manager, lk_reader *reader, const names *names, bool held) {
  request_record record;
  if (!get(reader, &record, sizeof record)) return LK_BAD_SNAPSHOT;
  lk_member *member = lk_find_member(manager, record.client);
  if (!is_possible(manager, member, &record, held) || !touch_places(manager, reader, names, record.names)) return LK_BAD_SNAPSHOT;
  lk_request *request = lk_new_request(manager, member, record.number, record.mode, record.limit, record.hold, record.names);
  if (!request) return LK_OUT_OF_MEMORY;
  bool agrees = true;
  if (held) {
    manager->fence = record.fence;
    agrees = lk_hold(manager, request, record.fence, record.deadline);
  } else {
    lk_enqueue(manager, request, record.deadline);
  }
  lk_process_touched(manager);
  return agrees && request->held == held ? LK_OK : LK_BAD_SNAPSHOT;
}

/* While they are read, the last handle and fence are those of the last item, so that the next one must be higher. */
static int get_state(lk_manager *manager, lk_reader *reader, const header *header, const names *names) {
  int status = LK_OK;
  for (uint32_t left = header->members; left && !status; left--) status = get_member(manager, reader, header->last_handle);
  manager->last_handle = header->last_handle;
  if (!status) status = get_names(manager, reader, names);
  for (uint32_t left = header->held; left && !status; left--) status = get_request(manager, reader, names, true);
  if (manager->fence > header->fence) return LK_BAD_SNAPSHOT;
  manager->fence = header->fence + 0.0;
  for (uint32_t left = header->queued; left && !status; left--) status = get_request(manager, reader, names, false);
  return status;
}

static int load(lk_manager *manager, const uint8_t *bytes, size_t size) {
  lk_reader reader = {bytes, size};
  header header;
  if (!get(&reader, &header, sizeof header) || !lk_is_number(header.time) || !lk_is_number(header.fence) ||
      !lk_has_fences(header.fence, header.queued) ||
      /* Each name takes at least these bytes. */
      header.names > reader.left / sizeof(uint32_t)) {
    return LK_BAD_SNAPSHOT;
  }
  manager->time = header.time + 0.0;
  size_t room = ((size_t)header.names + 1) * sizeof(lk_resource *);
  names names = {lk_allocate(manager, room), header.names};
  if (!names.resources) return LK_OUT_OF_MEMORY;
  __builtin_memset(names.resources, 0, room);
  int status = get_state(manager, &reader, &header, &names);
  /* This frees unused resources, which a failure may leave. */
  for (uint32_t i = 0; names.resources[i]; i++) lk_touch(manager, names.resources[i]);
  lk_process_touched(manager);
  lk_free(manager, names.resources, room);
  if (status == LK_OUT_OF_MEMORY) return status;
  return !status && is_snapshot(manager, bytes, size) ? LK_OK : LK_BAD_SNAPSHOT;
}

int lk_restore(const lk_host *host, const uint8_t *bytes, size_t size, lk_manager **result) {
  lk_manager *manager;
  int status = lk_create(host, 0, &manager);
  if (!status) status = load(manager, bytes, size);
  if (status) {
    lk_destroy(manager);
    manager = NULL;
  }
  *result = manager;
  return status;
}
