/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

/* Both without links and dots. */
static bool lies_in(const char *file, const char *folder)
{
    size_t len = strlen(folder);
    while (len && folder[len - 1] == '/') /* the root itself */
        len--;
    return strncmp(file, folder, len) == 0 && file[len] == '/';
}

static bool lies_in_some(const char *file, const char *const *folders, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char *folder = realpath(folders[k], NULL);
        bool found = folder && lies_in(file, folder);
        free(folder);
        if (found)
            return true;
    }
    return false;
}

static char *read_open(int descriptor, size_t limit, size_t *len, const char **why)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        *why = "it is no regular file";
        return NULL;
    }
    if ((uint64_t)status.st_size > limit) {
        *why = "it is too large";
        return NULL;
    }
    size_t size = (size_t)status.st_size, used = 0;
    char *text = bw_alloc(size + 1);
    for (ssize_t got; used < size && (got = read(descriptor, text + used, size - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    *len = used;
    return text;
}

char *bw_file_read_inside(const char *path, const char *const *folders, size_t count, size_t limit,
                          size_t *len, const char **why)
{
    char *real = realpath(path, NULL);
    if (!real) {
        *why = strerror(errno);
        return NULL;
    }
    char *text = NULL;
    if (lies_in_some(real, folders, count)) {
        /* O_NONBLOCK: a pipe without a writer must not be waited for */
        int descriptor = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0)
            *why = strerror(errno);
        else
            text = read_open(descriptor, limit, len, why);
        if (descriptor >= 0)
            close(descriptor);
    } else {
        *why = "it lies outside the pattern's folder, and was not opened";
    }
    free(real);
    return text;
}
