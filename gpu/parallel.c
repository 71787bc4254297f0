/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

typedef struct stretch {
    pthread_t thread;
    void *context;
    void (*work)(void *context, unsigned thread, size_t begin, size_t end);
    unsigned index;
    size_t begin, end;
    bool started;
} stretch;

unsigned bw_cores(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int cores = CPU_COUNT(&set);
    return cores > 0 ? (unsigned)cores : 1;
}

static void *run(void *argument)
{
    stretch *s = argument;
    s->work(s->context, s->index, s->begin, s->end);
    return NULL;
}

void bw_parallel(unsigned threads, size_t count, void *context,
                 void (*work)(void *context, unsigned thread, size_t begin, size_t end))
{
    stretch stretches[BW_MAX_THREADS];
    if (threads == 0)
        threads = 1;
    if (threads > BW_MAX_THREADS)
        threads = BW_MAX_THREADS;
    for (unsigned i = 0; i < threads; i++) {
        stretch *s = &stretches[i];
        *s = (stretch){.context = context, .work = work, .index = i};
        s->begin = count * i / threads;
        s->end = count * (i + 1) / threads;
        s->started = i && pthread_create(&s->thread, NULL, run, s) == 0;
    }
    for (unsigned i = 0; i < threads; i++)
        if (!stretches[i].started)
            run(&stretches[i]);
    for (unsigned i = 0; i < threads; i++)
        if (stretches[i].started)
            pthread_join(stretches[i].thread, NULL);
}
