/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

static char *copy_of(const char *text, size_t len)
{
    char *copy = bw_alloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

#ifdef BANKWISE_MPI
#include <limits.h>
#include <mpi.h>

/* What one message carries: counts of MPI are ints. */
#define MOST_SENT ((size_t)1 << 30)
_Static_assert(MOST_SENT <= INT_MAX, "a count of MPI");

enum { TAG_LENGTH, TAG_TEXT };

/* Errors end all ranks: that is what MPI does unless it is told otherwise. */
bw_ranks bw_ranks_begin(void)
{
    int rank, count;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return (bw_ranks){(unsigned)rank, (unsigned)count};
}

static void send_text(const char *text, size_t len)
{
    unsigned long long length = len;
    MPI_Send(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, TAG_LENGTH, MPI_COMM_WORLD);
    for (size_t at = 0; at < len; at += MOST_SENT) {
        size_t part = len - at < MOST_SENT ? len - at : MOST_SENT;
        MPI_Send(text + at, (int)part, MPI_CHAR, 0, TAG_TEXT, MPI_COMM_WORLD);
    }
}

static char *receive_text(unsigned from, size_t *len)
{
    unsigned long long length;
    MPI_Recv(&length, 1, MPI_UNSIGNED_LONG_LONG, (int)from, TAG_LENGTH, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    *len = (size_t)length;
    char *text = bw_calloc(*len + 1, 1);
    for (size_t at = 0; at < *len; at += MOST_SENT) {
        size_t part = *len - at < MOST_SENT ? *len - at : MOST_SENT;
        MPI_Recv(text + at, (int)part, MPI_CHAR, (int)from, TAG_TEXT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    return text;
}

void bw_ranks_gather(const bw_ranks *ranks, const char *text, size_t len, char **texts,
                     size_t *lens)
{
    if (ranks->rank) {
        send_text(text, len);
        return;
    }
    texts[0] = copy_of(text, len);
    lens[0] = len;
    for (unsigned r = 1; r < ranks->count; r++)
        texts[r] = receive_text(r, &lens[r]);
}

int bw_ranks_most(const bw_ranks *ranks, int number)
{
    int most = number;
    if (ranks->count > 1)
        MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

void bw_ranks_end(const bw_ranks *ranks)
{
    (void)ranks;
    MPI_Finalize();
}

#else

bw_ranks bw_ranks_begin(void)
{
    return (bw_ranks){0, 1};
}

void bw_ranks_gather(const bw_ranks *ranks, const char *text, size_t len, char **texts,
                     size_t *lens)
{
    (void)ranks;
    texts[0] = copy_of(text, len);
    lens[0] = len;
}

int bw_ranks_most(const bw_ranks *ranks, int number)
{
    (void)ranks;
    return number;
}

void bw_ranks_end(const bw_ranks *ranks)
{
    (void)ranks;
}

#endif
