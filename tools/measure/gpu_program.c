/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gpu_program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

#define PROGRAM "bankwise-gpu"
/* What a program prints that failed; more is cut. */
#define MAX_MESSAGE 8192

/* ---- finding it ---- */

static bool is_program(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || access(path, X_OK) != 0)
        return false;
    errno = EISDIR;
    return !S_ISDIR(status.st_mode);
}

/* Installed side by side, or each in its folder of the build. */
static const char *find_beside(bw_arena *arena)
{
    static const char *const places[] = {"", "/../gpu"};
    const char *folder = bw_program_folder(arena);
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        const char *path = bw_arena_format(arena, "%s%s/" PROGRAM, folder, places[i]);
        if (is_program(path))
            return path;
    }
    return NULL;
}

static const char *find_on_path(bw_arena *arena)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        const char *path = bw_arena_format(arena, "%.*s/" PROGRAM, (int)length, at);
        if (length && is_program(path))
            return path;
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* The program's path. BW_EXIT_DONE, or what ends this one, said. */
static bw_exit find_program(bw_arena *arena, const bw_args *args, const char **program)
{
    const bw_value *option = &args->values[BW_OPTION_GPU];
    const char *variable = getenv("BANKWISE_GPU");
    *program = option->given ? option->text : variable && *variable ? variable : NULL;
    if (*program && !is_program(*program)) {
        bw_complain(BW_MSG_GPU_PROGRAM, NULL, "%s '%s' is no program that can be run: %s",
                    option->given ? "--gpu:" : "BANKWISE_GPU:", *program, strerror(errno));
        return BW_EXIT_USAGE;
    }
    if (!*program)
        *program = find_beside(arena);
    if (!*program)
        *program = find_on_path(arena);
    if (*program)
        return BW_EXIT_DONE;
    fputs("bankwise: skipped: no " PROGRAM " beside this program or on the PATH; build it with "
          "-Dcuda=enabled, name it with --gpu, or use --replay\n",
          stderr);
    return BW_EXIT_SKIPPED;
}

/* ---- running it ---- */

/* In the child, which ends with this program, so that no card is kept busy for nobody. Does not
 * return. */
static void become(const char *program, FILE *requests, FILE *recording, FILE *messages)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): execv changes no word */
    char *arguments[] = {(char *)(uintptr_t)program, (char[]){"run"}, (char[]){"-"}, NULL};
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (lseek(fileno(requests), 0, SEEK_SET) == 0 && dup2(fileno(requests), STDIN_FILENO) >= 0 &&
        dup2(fileno(recording), STDOUT_FILENO) >= 0 && dup2(fileno(messages), STDERR_FILENO) >= 0)
        execv(program, arguments);
    dprintf(STDERR_FILENO, "cannot run %s: %s\n", program, strerror(errno));
    _exit(BW_EXIT_INTERNAL);
}

/* Waits for the child; its exit code, or the negative number of the signal that ended it. */
static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return BW_EXIT_INTERNAL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* What the child said, without a last line end. */
static void read_message(FILE *messages, char text[MAX_MESSAGE])
{
    rewind(messages);
    size_t length = fread(text, 1, MAX_MESSAGE - 1, messages);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    text[length] = '\0';
}

/* Its words after "bankwise-gpu: skipped: ", as one line. */
static void say_skipped(char *text)
{
    static const char prefix[] = PROGRAM ": skipped: ";
    const char *what = strstr(text, prefix);
    what = what ? what + strlen(prefix) : *text ? text : PROGRAM " found no card";
    fprintf(stderr, "bankwise: skipped: %.*s\n", (int)strcspn(what, "\n"), what);
}

static bw_exit report_end(int code, const char *program, char text[MAX_MESSAGE])
{
    if (code == BW_EXIT_SKIPPED) {
        say_skipped(text);
        return BW_EXIT_SKIPPED;
    }
    if (*text)
        fprintf(stderr, "%s\n", text);
    if (code == BW_EXIT_DONE)
        return BW_EXIT_DONE;
    if (code == BW_EXIT_USAGE) {
        bw_complain(BW_MSG_GPU_REFUSED, "its message is above; a newer one may be needed",
                    "%s refused the requests", program);
        return BW_EXIT_USAGE;
    }
    if (code < 0)
        bw_complain(BW_MSG_GPU_FAILED, NULL, "%s was ended by signal %d (%s)", program, -code,
                    strsignal(-code));
    else
        bw_complain(BW_MSG_GPU_FAILED, NULL, "%s failed (exit code %d)", program, code);
    return BW_EXIT_INTERNAL;
}

static bw_exit run_program(const char *program, FILE *requests, FILE *recording, FILE *messages)
{
    char text[MAX_MESSAGE];
    if (fflush(requests) != 0) {
        bw_complain(BW_MSG_CANNOT_WRITE, NULL, "cannot write the requests: %s", strerror(errno));
        return BW_EXIT_INTERNAL;
    }
    fflush(stderr);
    pid_t child = fork();
    if (child == 0)
        become(program, requests, recording, messages);
    if (child < 0) {
        bw_complain(BW_MSG_GPU_FAILED, NULL, "cannot start %s: %s", program, strerror(errno));
        return BW_EXIT_INTERNAL;
    }
    int code = wait_for(child);
    read_message(messages, text);
    rewind(recording);
    return report_end(code, program, text);
}

bw_exit bw_gpu_run(bw_arena *arena, const bw_args *args, FILE *requests, FILE *recording,
                   const char **program)
{
    bw_exit code = find_program(arena, args, program);
    FILE *messages = code == BW_EXIT_DONE ? tmpfile() : NULL;
    if (messages) {
        code = run_program(*program, requests, recording, messages);
        fclose(messages);
    } else if (code == BW_EXIT_DONE) {
        bw_complain(BW_MSG_CANNOT_WRITE, NULL, "cannot make a temporary file: %s", strerror(errno));
        code = BW_EXIT_INTERNAL;
    }
    return code;
}
