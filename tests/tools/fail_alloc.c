/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator that fails on demand, to be preloaded: the FAIL_ALLOC-th allocation of the program,
 * and none other, gives NULL. Allocations before main count too. On exit, where FAIL_ALLOC_COUNT
 * is set, their number is written to the file that it names.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static atomic_ulong seen;
static unsigned long wanted;

static int fails(void)
{
    unsigned long number = atomic_fetch_add(&seen, 1) + 1;
    if (number != wanted)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_ALLOC");
    seen = 0;
    wanted = number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_ALLOC_COUNT");
    unsigned long count = seen;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%lu\n", count);
    fclose(file);
}
