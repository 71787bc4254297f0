/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* fopencookie, pipe2 */
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "process.h"

extern char **environ;

/* How packed files begin: RFC 1952, the .xz file format 1.1.0, RFC 8878. */
static const struct packing {
    const char *program, *first;
    size_t len;
} packings[] = {
    {"gzip", "\x1f\x8b", 2},
    {"xz",
     "\xfd"
     "7zXZ",
     5}, /* and a zero byte */
    {"zstd", "\x28\xb5\x2f\xfd", 4},
};

#define LONGEST_FIRST 6u

struct bw_unpack {
    int file;          /* as it lies there */
    int inside;        /* what is read: the same, or the program's end of a pipe */
    const char *error; /* in the arena, as is the next */
    const char *note;
    bw_message_id error_id;
    bw_arena arena;
    const struct packing *packing; /* NULL: plain */
    pid_t program;                 /* 0: none, or it was waited for */
    FILE *messages;                /* of the program */
    pthread_t pump;                /* moves standard input to the program */
    bool pumping;
    int pump_to;
    char first[8]; /* what was read of it before */
    size_t first_len;
    uint64_t size;
    FILE *stream;
    char peek[BW_UNPACK_PEEK];
    size_t at, len; /* peek[at..len) is still to be read */
};

static void fail(bw_unpack *u, bw_message_id id, const char *note, const char *text)
{
    u->error = bw_arena_text(&u->arena, text);
    u->note = note;
    u->error_id = id;
}

static void fail_of(bw_unpack *u, const char *doing)
{
    if (errno == ENOMEM)
        bw_out_of_memory();
    fail(u, BW_MSG_CANNOT_READ, NULL, bw_arena_format(&u->arena, "%s: %s", doing, strerror(errno)));
}

/* As read(2), but whole: less only at the end. */
static ssize_t read_whole(int descriptor, char *to, size_t len)
{
    size_t done = 0;
    while (done < len) {
        ssize_t got = read(descriptor, to + done, len - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* ---- the program ---- */

/* Moves what was read ahead, and the rest, to the program. */
static void *pump(void *context)
{
    bw_unpack *u = context;
    sigset_t broken;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE); /* it may end early: that is told by its exit code */
    pthread_sigmask(SIG_BLOCK, &broken, NULL);
    char buffer[1 << 16];
    ssize_t len = (ssize_t)u->first_len;
    memcpy(buffer, u->first, u->first_len);
    while (len > 0) {
        ssize_t done = write(u->pump_to, buffer, (size_t)len);
        if (done < 0)
            break;
        memmove(buffer, buffer + done, (size_t)(len - done));
        len -= done;
        if (len == 0)
            len = read(u->file, buffer, sizeof buffer);
    }
    close(u->pump_to);
    return NULL;
}

static bool spawn(bw_unpack *u, const char *path, int from, int to)
{
    posix_spawn_file_actions_t actions;
    char name[] = "-dc";
    char *const argv[] = {(char *)u->packing->program, name, NULL};
    if (posix_spawn_file_actions_init(&actions) != 0)
        bw_out_of_memory();
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(u->messages), STDERR_FILENO);
    errno = posix_spawn(&u->program, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno == 0)
        return true;
    u->program = 0;
    fail_of(u, bw_arena_format(&u->arena, "cannot run %s", path));
    return false;
}

static bool start_pump(bw_unpack *u, int *from)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail_of(u, "cannot make a pipe");
        return false;
    }
    *from = ends[0];
    u->first_len = u->len; /* not more than open looked at */
    memcpy(u->first, u->peek, u->len);
    u->pump_to = ends[1];
    u->pumping = pthread_create(&u->pump, NULL, pump, u) == 0;
    if (!u->pumping) {
        close(ends[0]);
        close(ends[1]);
        fail(u, BW_MSG_CANNOT_READ, NULL, "cannot start a thread");
    }
    return u->pumping;
}

/* The program reads the file from its beginning, and we what it writes. */
static void start_program(bw_unpack *u)
{
    const char *path = bw_process_find(&u->arena, u->packing->program);
    int ends[2], from = u->file;
    if (!path) {
        fail(u, BW_MSG_UNPACKER_MISSING, "install it, or unpack the file and give that",
             bw_arena_format(&u->arena, "it is packed, and there is no %s on the PATH",
                             u->packing->program));
        return;
    }
    u->messages = tmpfile();
    if (!u->messages || pipe2(ends, O_CLOEXEC) != 0) {
        fail_of(u, "cannot make a temporary file or a pipe");
        return;
    }
    u->inside = ends[0];
    bool seeks = lseek(u->file, 0, SEEK_SET) == 0;
    if (seeks || start_pump(u, &from))
        spawn(u, path, from, ends[1]);
    close(ends[1]);
    if (from != u->file)
        close(from);
    u->at = u->len = 0;
}

static bool wait_for_program(bw_unpack *u)
{
    if (!u->program)
        return true;
    int code = bw_process_wait(u->program);
    char text[200];
    u->program = 0;
    if (code == 0)
        return true;
    bw_process_message(u->messages, text, sizeof text);
    const char *said = text + strspn(text, "\n");
    fail(u, BW_MSG_CANNOT_UNPACK, "the file is damaged or cut: copy it again",
         bw_arena_format(&u->arena, "%s cannot unpack it: %s", u->packing->program,
                         *said ? said : "it failed"));
    return false;
}

/* ---- opening ---- */

static void open_descriptor(bw_unpack *u, const char *path)
{
    struct stat status;
    bool from_stdin = strcmp(path, "-") == 0;
    u->file =
        from_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    u->inside = u->file;
    if (u->file < 0 || fstat(u->file, &status) != 0) {
        fail_of(u, "cannot read");
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        fail_of(u, "cannot read");
    }
    if (S_ISREG(status.st_mode))
        u->size = (uint64_t)status.st_size;
}

static void look(bw_unpack *u, size_t bytes)
{
    if (u->error || u->len >= bytes)
        return;
    ssize_t got = read_whole(u->inside, u->peek + u->len, bytes - u->len);
    if (got < 0)
        fail_of(u, "cannot read");
    else
        u->len += (size_t)got;
}

bw_unpack *bw_unpack_open(const char *path)
{
    bw_unpack *u = bw_calloc(1, sizeof *u);
    open_descriptor(u, path);
    look(u, LONGEST_FIRST);
    for (size_t i = 0; !u->error && i < sizeof packings / sizeof *packings; i++)
        if (u->len >= packings[i].len && memcmp(u->peek, packings[i].first, packings[i].len) == 0)
            u->packing = &packings[i];
    if (u->packing)
        start_program(u);
    return u;
}

const char *bw_unpack_peek(bw_unpack *file, size_t *len)
{
    look(file, BW_UNPACK_PEEK);
    *len = file->len;
    return file->peek;
}

static ssize_t read_on(void *cookie, char *to, size_t size)
{
    bw_unpack *u = cookie;
    size_t ready = u->len - u->at;
    if (!ready)
        return read_whole(u->inside, to, size);
    ready = ready < size ? ready : size;
    memcpy(to, u->peek + u->at, ready);
    u->at += ready;
    return (ssize_t)ready;
}

FILE *bw_unpack_file(bw_unpack *file)
{
    if (file->error)
        return NULL;
    if (!file->stream)
        file->stream = fopencookie(file, "r", (cookie_io_functions_t){.read = read_on});
    if (!file->stream)
        bw_out_of_memory();
    return file->stream;
}

bool bw_unpack_ended(bw_unpack *file)
{
    return wait_for_program(file) && !file->error;
}

void bw_unpack_close(bw_unpack *file)
{
    if (!file)
        return;
    if (file->stream)
        fclose(file->stream);
    if (file->inside >= 0 && file->inside != file->file)
        close(file->inside);
    if (file->program) { /* it is not needed to the end */
        kill(file->program, SIGTERM);
        bw_process_wait(file->program);
    }
    if (file->pumping) {
        pthread_cancel(file->pump); /* it may wait for standard input */
        pthread_join(file->pump, NULL);
    }
    if (file->file >= 0)
        close(file->file);
    if (file->messages)
        fclose(file->messages);
    bw_arena_finish(&file->arena);
    free(file);
}

const char *bw_unpack_error(const bw_unpack *file)
{
    return file->error;
}

const char *bw_unpack_note(const bw_unpack *file)
{
    return file->note;
}

bw_message_id bw_unpack_error_id(const bw_unpack *file)
{
    return file->error_id;
}

uint64_t bw_unpack_size(const bw_unpack *file)
{
    return file->size;
}

uint64_t bw_unpack_position(const bw_unpack *file)
{
    off_t at = file->size ? lseek(file->file, 0, SEEK_CUR) : 0;
    return at > 0 ? (uint64_t)at : 0;
}
