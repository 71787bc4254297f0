/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "arena.h"

#include "message.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that small files need one block, small enough to start fast. */
#define BLOCK_BYTES ((size_t)64 << 10)

struct bw_arena_block {
    bw_arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

void bw_out_of_memory(void)
{
    fprintf(stderr, "bankwise: error: out of memory [%s]\n",
            bw_message_of(BW_MSG_OUT_OF_MEMORY)->id);
    exit(3);
}

void *bw_alloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        bw_out_of_memory();
    return memory;
}

void *bw_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        bw_out_of_memory();
    return memory;
}

void *bw_realloc(void *memory, size_t size)
{
    memory = realloc(memory, size ? size : 1);
    if (!memory)
        bw_out_of_memory();
    return memory;
}

char *bw_copy_text(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    return text ? memcpy(bw_alloc(size), text, size) : NULL;
}

void *bw_arena_alloc(bw_arena *arena, size_t size)
{
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    bw_arena_block *block = arena->head;
    if (!block || block->size - block->used < size) {
        size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = bw_alloc(sizeof *block + bytes);
        *block = (bw_arena_block){.next = arena->head, .size = bytes};
        arena->head = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

char *bw_arena_copy(bw_arena *arena, const char *text, size_t len)
{
    char *copy = bw_arena_alloc(arena, len + 1);
    if (len)
        memcpy(copy, text, len);
    return copy;
}

char *bw_arena_text(bw_arena *arena, const char *text)
{
    return text ? bw_arena_copy(arena, text, strlen(text)) : NULL;
}

char *bw_arena_format_list(bw_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t size = (size_t)(len < 0 ? 0 : len) + 1;
    char *text = bw_arena_alloc(arena, size);
    vsnprintf(text, size, format, args);
    return text;
}

char *bw_arena_format(bw_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = bw_arena_format_list(arena, format, args);
    va_end(args);
    return text;
}

void bw_arena_finish(bw_arena *arena)
{
    for (bw_arena_block *block = arena->head; block;) {
        bw_arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->head = NULL;
}
