/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* SIGRTMAX, and signals of Linux alone */
#include "temporary.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

/* A result, and the file that fix changes. */
#define MOST 4

/* What a signal removes; NULL: none. Children have copies, and must leave them alone. */
static char *volatile unfinished[MOST];
static volatile pid_t owner;

static void remove_unfinished(void)
{
    for (unsigned i = 0; i < MOST && getpid() == owner; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
}

static void end_by(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

/* Whether the signal ends a program that does nothing about it. */
static bool ends(int number)
{
    static const int others[] = {SIGCHLD, SIGCONT, SIGSTOP,  SIGTSTP, SIGTTIN,
                                 SIGTTOU, SIGURG,  SIGWINCH, SIGKILL};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (number == others[i])
            return false;
    return true;
}

static void catch_signals(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction now;
        if (ends(number) && sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(number, end_by);
    }
}

static bool free_slot(unsigned *slot)
{
    for (*slot = 0; *slot < MOST; ++*slot)
        if (!unfinished[*slot])
            return true;
    errno = EMFILE;
    return false;
}

static void prepare(void)
{
    static bool prepared;
    owner = getpid();
    if (!prepared)
        atexit(remove_unfinished); /* memory that runs out ends the program from anywhere */
    prepared = true;
    catch_signals();
}

bool bw_temporary_make(bw_temporary *temporary, const char *target, mode_t mode)
{
    *temporary = (bw_temporary){.path = NULL, .file = -1};
    if (!free_slot(&temporary->slot))
        return false;
    prepare();
    temporary->path = bw_alloc(strlen(target) + 8);
    sprintf(temporary->path, "%s.XXXXXX", target);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* until it is known what to remove */
    temporary->file = mkstemp(temporary->path);
    int reason = errno;
    if (temporary->file >= 0)
        unfinished[temporary->slot] = temporary->path;
    sigprocmask(SIG_SETMASK, &before, NULL);
    bool good = temporary->file >= 0 && fchmod(temporary->file, mode) == 0;
    if (good)
        return true;
    reason = temporary->file >= 0 ? errno : reason;
    if (temporary->file >= 0)
        close(temporary->file);
    bw_temporary_remove(temporary);
    errno = reason;
    return false;
}

static void forget(bw_temporary *temporary)
{
    unfinished[temporary->slot] = NULL;
    free(temporary->path);
    temporary->path = NULL;
}

bool bw_temporary_rename(bw_temporary *temporary, const char *target)
{
    bool good = rename(temporary->path, target) == 0;
    int reason = errno;
    if (good)
        forget(temporary);
    else
        bw_temporary_remove(temporary);
    errno = reason;
    return good;
}

void bw_temporary_remove(bw_temporary *temporary)
{
    if (!temporary->path)
        return;
    if (unfinished[temporary->slot] == temporary->path)
        unlink(temporary->path);
    forget(temporary);
}
