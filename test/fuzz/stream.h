/* Bytes as streams of operations: nearly all bytes mean something, and small changes of the bytes are small changes of the stream. */
#ifndef STREAM_H
#define STREAM_H

#include "allocator.h"
#include "invariants.h"
#include <stdbool.h>

typedef struct stream {
  const uint8_t *at;
  size_t left;
  uint16_t names[64];
} stream;

/* A manager with three members. */
lk_manager *begin_stream(const lk_host *host);

uint8_t next_byte(stream *stream);

/* The next operation, for [manager]; its names are in the stream. Mostly well formed. */
lk_operation next_operation(stream *stream, const lk_manager *manager);

/* Ends the program when [fault] is not NULL. */
void stop_at(const char *fault);

#endif
