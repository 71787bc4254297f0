/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* O_PATH */
#include "table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

static const char outside[] =
    "it is outside the pattern's folder; --tables-anywhere reads it all the same";
static const char not_regular[] = "it is no regular file";

/* ---- paths ---- */

/* Whether a step of the path leads up; the file system is not asked, so that nothing is learnt of
 * what lies there. */
static bool climbs(const char *name)
{
    for (const char *at = name; *at;) {
        size_t len = strcspn(at, "/");
        if (len == 2 && at[0] == '.' && at[1] == '.')
            return true;
        at += len + (at[len] == '/');
    }
    return false;
}

/* What `path` is below `folder`, both without links; NULL: it is not below. */
static const char *below(const char *folder, const char *path)
{
    size_t len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(folder, path, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

/* ---- opening ---- */

/* The regular file `name` in `folder`, which is no link; never waits. -1 with *error set. */
static int open_regular(int folder, const char *name, const char **error)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        *error = strerror(errno);
        return -1;
    }
    if (!S_ISREG(status.st_mode)) {
        *error = S_ISDIR(status.st_mode) ? strerror(EISDIR) : not_regular;
        return -1;
    }
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        return file;
    *error = file >= 0 ? not_regular : strerror(errno);
    if (file >= 0)
        close(file);
    return -1;
}

/* Steps down from `folder` along `path`, which has no links: one that appears meanwhile is not
 * followed. `path` is cut on the way. */
static int open_along(int folder, char *path, const char **error)
{
    int at = folder;
    for (char *slash; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        *slash = '\0';
        int next = openat(at, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            *error = strerror(errno);
        if (at != folder)
            close(at);
        at = next;
    }
    int file = at >= 0 ? open_regular(at, path, error) : -1;
    if (at >= 0 && at != folder)
        close(at);
    return file;
}

/* `real` is the file, and `from` the folder, both without links. */
static int open_real(const char *from, char *real, bool anywhere, const char **error)
{
    const char *inside = below(from, real);
    if (!inside && !anywhere) {
        *error = outside;
        return -1;
    }
    int folder = open(inside ? from : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        *error = strerror(errno);
        return -1;
    }
    int file = open_along(folder, inside ? real + (inside - real) : real + 1, error);
    close(folder);
    return file;
}

static int open_table(const char *folder, const char *name, bool anywhere, const char **error)
{
    bool absolute = name[0] == '/';
    if (!anywhere && (absolute || climbs(name))) {
        *error = outside;
        return -1;
    }
    bw_arena arena = {NULL};
    const char *path = absolute ? name : bw_arena_format(&arena, "%s/%s", folder, name);
    char *from = realpath(folder, NULL), *real = from ? realpath(path, NULL) : NULL;
    int reason = errno, file = -1;
    if ((!from || !real) && reason == ENOMEM)
        bw_out_of_memory();
    if (real)
        file = open_real(from, real, anywhere, error);
    else
        *error = strerror(reason);
    free(from);
    free(real);
    bw_arena_finish(&arena);
    return file;
}

/* ---- reading ---- */

char *bw_table_file_read(const char *folder, const char *name, bool anywhere, size_t limit,
                         size_t *len, const char **error)
{
    int file = open_table(folder, name, anywhere, error);
    struct stat status;
    if (file < 0)
        return NULL;
    if (fstat(file, &status) != 0 || (uint64_t)status.st_size > limit) {
        *error = strerror(EFBIG);
        close(file);
        return NULL;
    }
    size_t size = (size_t)status.st_size;
    char *text = bw_alloc(size + 1);
    ssize_t got = 1;
    for (*len = 0; *len < size && got > 0; *len += got > 0 ? (size_t)got : 0)
        got = read(file, text + *len, size - *len);
    if (got < 0)
        *error = strerror(errno);
    close(file);
    text[*len] = '\0';
    if (got >= 0)
        return text;
    free(text);
    return NULL;
}
