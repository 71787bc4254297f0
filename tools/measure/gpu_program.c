/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gpu_program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "plain.h"
#include "session.h"

#define PROGRAM "bankwise-gpu"
/* What a program prints that failed; more is cut. */
#define MAX_MESSAGE 8192

/* ---- finding it ---- */

/* Installed side by side, or each in its folder of the build. */
static const char *find_beside(bw_arena *arena)
{
    static const char *const places[] = {"", "/../gpu"};
    const char *folder = bw_program_folder(arena);
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        const char *path = bw_arena_format(arena, "%s%s/" PROGRAM, folder, places[i]);
        if (bw_process_is_program(path))
            return path;
    }
    return NULL;
}

/* The program's path. BW_EXIT_DONE, or what ends this one, said. */
static bw_exit find_program(bw_arena *arena, const bw_args *args, const char **program)
{
    const bw_value *option = &args->values[BW_OPTION_GPU];
    const char *variable = getenv("BANKWISE_GPU");
    *program = option->given ? option->text : variable && *variable ? variable : NULL;
    if (*program && !bw_process_is_program(*program)) {
        bw_complain(BW_MSG_GPU_PROGRAM, NULL, "%s '%s' is no program that can be run: %s",
                    option->given ? "--gpu:" : "BANKWISE_GPU:", *program, strerror(errno));
        return BW_EXIT_USAGE;
    }
    if (!*program)
        *program = find_beside(arena);
    if (!*program)
        *program = bw_process_find(arena, PROGRAM);
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

/* Its words after "bankwise-gpu: skipped: ", as one line. */
static void say_skipped(char *text)
{
    static const char prefix[] = PROGRAM ": skipped: ";
    const char *what = strstr(text, prefix);
    what = what ? what + strlen(prefix) : *text ? text : PROGRAM " found no card";
    bw_say(stderr, "bankwise: skipped: %.*s\n", (int)strcspn(what, "\n"), what);
}

static bw_exit report_end(int code, const char *program, char text[MAX_MESSAGE])
{
    if (code == BW_EXIT_SKIPPED) {
        say_skipped(text);
        return BW_EXIT_SKIPPED;
    }
    if (*text)
        bw_say(stderr, "%s\n", text);
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
    int code = bw_process_wait(child);
    bw_process_message(messages, text, sizeof text);
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
