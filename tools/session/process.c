/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* nftw, SOCK_CLOEXEC */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED 127

/* ---- finding ---- */

bool bw_process_is_program(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || access(path, X_OK) != 0)
        return false;
    errno = EISDIR;
    return !S_ISDIR(status.st_mode);
}

const char *bw_process_find(bw_arena *arena, const char *name)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        const char *path = bw_arena_format(arena, "%.*s/%s", (int)length, at, name);
        if (length && bw_process_is_program(path))
            return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* ---- running ---- */

/* In the child; does not return. */
static void become(const char *folder, const char *const *argv, FILE *output, FILE *messages)
{
    int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if ((!folder || chdir(folder) == 0) && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(fileno(output), STDOUT_FILENO) >= 0 && dup2(fileno(messages), STDERR_FILENO) >= 0)
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): execv changes no word */
        execv(argv[0], (char *const *)(uintptr_t)argv);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(NOT_STARTED);
}

int bw_process_wait(int child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return NOT_STARTED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void read_output(FILE *file, size_t limit, bw_process_result *result)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || (uint64_t)status.st_size > limit)
        return;
    rewind(file);
    result->output = bw_alloc((size_t)status.st_size + 1);
    result->length = fread(result->output, 1, (size_t)status.st_size, file);
    result->output[result->length] = '\0';
}

void bw_process_message(FILE *file, char *text, size_t bytes)
{
    rewind(file);
    size_t length = fread(text, 1, bytes - 1, file);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    text[length] = '\0';
}

static bw_process_result run(const char *folder, const char *const *argv, size_t limit)
{
    bw_process_result result = {.code = NOT_STARTED};
    FILE *output = tmpfile(), *messages = tmpfile();
    fflush(stderr);
    pid_t child = output && messages ? fork() : -1;
    if (child == 0)
        become(folder, argv, output, messages);
    if (child < 0) {
        snprintf(result.message, sizeof result.message, "cannot run %s: %s", argv[0],
                 strerror(errno));
    } else {
        result.code = bw_process_wait(child);
        read_output(output, limit, &result);
        bw_process_message(messages, result.message, sizeof result.message);
    }
    if (output)
        fclose(output);
    if (messages)
        fclose(messages);
    return result;
}

bw_process_result bw_process_run(const char *const *argv, size_t limit)
{
    return run(NULL, argv, limit);
}

bool bw_process_run_in(const char *folder, const char *const *argv, size_t limit,
                       bw_process_result *result)
{
    *result = run(folder, argv, limit);
    return result->code == 0 && result->output;
}

/* ---- a folder ---- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/*
 * The child that outlives all: it makes the folder, so that none is there without its guard, says
 * its name, and when nobody holds the other end, the folder goes.
 */
static void stand_guard(int end, char *folder)
{
    for (int number = 1; number <= SIGRTMAX; number++)
        signal(number, SIG_IGN); /* those that cannot be ignored stay */
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++)
        close(standard); /* nobody waits for what this child might print */
    if (!mkdtemp(folder))
        _exit(1);
    char byte;
    ssize_t told = write(end, folder, strlen(folder));
    while (told > 0 && read(end, &byte, 1) < 0 && errno == EINTR)
        ;
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

/* The name of the folder is as long as its form; a guard that could make none says nothing. */
static bool hear_name(int end, char *folder)
{
    size_t length = strlen(folder), heard = 0;
    while (heard < length) {
        ssize_t got = read(end, folder + heard, length - heard);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        heard += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool bw_scratch_make(bw_scratch *scratch, bw_arena *arena)
{
    const char *place = getenv("TMPDIR");
    char *folder = bw_arena_format(arena, "%s/bankwise-XXXXXX", place && *place ? place : "/tmp");
    int ends[2];
    *scratch = (bw_scratch){NULL, -1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        stand_guard(ends[0], folder);
    }
    close(ends[0]);
    if (child < 0 || !hear_name(ends[1], folder)) {
        close(ends[1]);
        if (child > 0)
            bw_process_wait(child);
        return false;
    }
    *scratch = (bw_scratch){folder, ends[1], child};
    return true;
}

void bw_scratch_finish(bw_scratch *scratch)
{
    if (!scratch->folder)
        return;
    close(scratch->guard);
    bw_process_wait(scratch->child);
    *scratch = (bw_scratch){NULL, -1, -1};
}
