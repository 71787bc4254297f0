/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena: memory that is given back all at once.
 *
 * Owns the blocks; there is no per-object free. Running out of memory ends the program through
 * bw_out_of_memory() (exit code 3): callers never see NULL. Not thread-safe: one arena a thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_ARENA_H
#define BANKWISE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct bw_arena_block bw_arena_block;
typedef struct bw_arena {
    bw_arena_block *head;
} bw_arena; /* zero-initialise to begin */

/* `size` zeroed bytes, aligned for any type; they live until bw_arena_finish. */
void *bw_arena_alloc(bw_arena *arena, size_t size);
/* A NUL-terminated copy of text[0..len). */
char *bw_arena_copy(bw_arena *arena, const char *text, size_t len);
/* A copy of a string; NULL of NULL. */
char *bw_arena_text(bw_arena *arena, const char *text);
/* A formatted string. */
char *bw_arena_format_list(bw_arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
char *bw_arena_format(bw_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees everything; the arena is as new afterwards. */
void bw_arena_finish(bw_arena *arena);

/* malloc, calloc and realloc that never return NULL; release with free. */
void *bw_alloc(size_t size);
void *bw_calloc(size_t count, size_t size);
void *bw_realloc(void *memory, size_t size);
/* A malloc'd copy of a string; NULL of NULL. */
char *bw_copy_text(const char *text);
/* Says so on standard error and exits with code 3. */
_Noreturn void bw_out_of_memory(void);

/* Grows a malloc'd array so that it holds one more; `capacity` and `array` are lvalues. */
#define BW_GROW(array, count, capacity)                                                            \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? (capacity)*2 : 16;                                           \
            (array) = bw_realloc((array), sizeof *(array) * (size_t)(capacity));                   \
        }                                                                                          \
    } while (0)

#endif
