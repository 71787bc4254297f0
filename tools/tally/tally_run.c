/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tally_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "feed.h"

/* Requests that are read and priced together: with their costs they stay in the cache. */
#define BATCH 1024u
#define PROGRESS_NS 200000000L

/* A file, and who reads it. */
typedef struct slot {
    pthread_mutex_t lock; /* of the feed */
    bw_feed *feed;        /* NULL: not opened yet, or closed */
    unsigned readers;     /* under the run's lock, as is the next */
    bool ended;
} slot;

typedef struct run {
    const bw_tally_job *job;
    bw_totals *totals; /* under `lock`, as is all below */
    bw_tally_problem *problems;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot *slots;
    size_t next; /* file that nobody has taken */
    unsigned working;
    uint64_t requests, bytes_done, bytes;
    struct timespec start;
} run;

/* What a thread has to itself. */
typedef struct worker {
    run *run;
    bw_totals totals;
    bw_feed_batch batch;
    bw_cost costs[BATCH];
    bw_status statuses[BATCH];
    uint32_t *rows; /* by the feed's number of the instruction: the row of `totals` */
    size_t row_count, row_capacity;
} worker;

void bw_tally_problem_finish(bw_tally_problem *problem)
{
    free((char *)problem->error);
    free((char *)problem->note);
    *problem = (bw_tally_problem){.error = NULL};
}

/* ---- pricing ---- */

/* Rows for the instructions that the feed has found since; while its lock is held. */
static void learn_rows(worker *w, const bw_feed *feed)
{
    size_t count = bw_feed_others(feed)->count;
    while (w->row_count < count) {
        BW_GROW(w->rows, w->row_count, w->row_capacity);
        const bw_total_key *key = bw_feed_key(feed, (uint32_t)w->row_count);
        w->rows[w->row_count++] = (uint32_t)(bw_totals_row(&w->totals, key) - w->totals.rows);
    }
}

static void refuse(worker *w, const bw_request *request, bw_status status, uint64_t copies)
{
    const bw_op_info *info = bw_op_get(request->op);
    bw_totals_other(&w->totals, info ? info->name : "invalid", bw_status_text(status), copies);
}

static void price(worker *w, const char *file)
{
    const bw_feed_batch *batch = &w->batch;
    size_t bad =
        bw_cost_batch(w->run->job->arch, batch->requests, batch->count, w->costs, w->statuses);
    for (size_t i = 0; i < batch->count; i++) {
        if (bad && w->statuses[i] != BW_OK) {
            refuse(w, &batch->requests[i], w->statuses[i], batch->copies[i]);
            continue;
        }
        bw_totals_add(&w->totals, &w->totals.rows[w->rows[batch->keys[i]]],
                      &(bw_total_place){&batch->requests[i], file, batch->lines[i],
                                        batch->blocks[i], batch->warps[i]},
                      &w->costs[i], batch->copies[i]);
    }
}

/* ---- files ---- */

static void add_problem(bw_tally_problem *problem, const bw_feed *feed)
{
    if (!bw_feed_error(feed))
        return;
    *problem = (bw_tally_problem){bw_copy_text(bw_feed_error(feed)),
                                  bw_copy_text(bw_feed_note(feed)), bw_feed_error_id(feed)};
}

/* The last reader puts away what the file itself knows. */
static void leave(worker *w, slot *s)
{
    run *r = w->run;
    pthread_mutex_lock(&r->lock);
    s->ended = true;
    if (--s->readers == 0) {
        bw_totals others = *bw_feed_others(s->feed);
        bw_total_file file = {bw_feed_name(s->feed), bw_feed_form_name(s->feed),
                              bw_feed_guesses_lanes(s->feed)};
        others.count = others.file_count = 0; /* its rows have no costs */
        bw_totals_merge(r->totals, &others);
        if (*file.form)
            bw_totals_file(r->totals, &file);
        add_problem(&r->problems[s - r->slots], s->feed);
        r->bytes_done += bw_feed_size(s->feed);
        bw_feed_close(s->feed);
        s->feed = NULL;
    }
    pthread_mutex_unlock(&r->lock);
}

/* A file that nobody has, or one that others read; NULL: there is nothing more to do. */
static slot *join(run *r)
{
    slot *s = NULL;
    pthread_mutex_lock(&r->lock);
    if (r->next < r->job->file_count) {
        s = &r->slots[r->next++];
        s->feed = bw_feed_open(r->job->files[s - r->slots]);
    }
    for (size_t i = 0; !s && i < r->next; i++)
        if (r->slots[i].feed && !r->slots[i].ended)
            s = &r->slots[i];
    if (s)
        s->readers++;
    pthread_mutex_unlock(&r->lock);
    return s;
}

static void read_file(worker *w, slot *s)
{
    int got;
    w->row_count = 0;
    do {
        const char *file = bw_feed_name(s->feed);
        pthread_mutex_lock(&s->lock);
        got = bw_feed_read(s->feed, &w->batch);
        if (got > 0)
            learn_rows(w, s->feed);
        pthread_mutex_unlock(&s->lock);
        if (got > 0)
            price(w, file);
        __atomic_add_fetch(&w->run->requests, w->batch.count, __ATOMIC_RELAXED);
    } while (got > 0);
}

static void *work(void *context)
{
    run *r = context;
    worker *w = bw_calloc(1, sizeof *w);
    w->run = r;
    bw_feed_batch_init(&w->batch, BATCH);
    for (slot *s; (s = join(r));) {
        read_file(w, s);
        leave(w, s);
    }
    pthread_mutex_lock(&r->lock);
    bw_totals_merge(r->totals, &w->totals);
    r->working--;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    bw_feed_batch_finish(&w->batch);
    bw_totals_finish(&w->totals);
    free(w->rows);
    free(w);
    return NULL;
}

/* ---- all together ---- */

static void tell(run *r, bool last)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    bw_tally_progress progress = {.requests = __atomic_load_n(&r->requests, __ATOMIC_RELAXED),
                                  .bytes = r->bytes_done,
                                  .of = r->bytes,
                                  .seconds = (double)(now.tv_sec - r->start.tv_sec) +
                                             (double)(now.tv_nsec - r->start.tv_nsec) * 1e-9};
    for (size_t i = 0; i < r->next; i++)
        if (r->slots[i].feed)
            progress.bytes += bw_feed_position(r->slots[i].feed);
    r->job->progress(&progress, last);
}

/* Waits for the threads, and tells how far they are. */
static void watch(run *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->working) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (!r->job->progress)
            pthread_cond_wait(&r->changed, &r->lock);
        else if (pthread_cond_timedwait(&r->changed, &r->lock, &until) != 0)
            tell(r, false);
    }
    if (r->job->progress)
        tell(r, true);
    pthread_mutex_unlock(&r->lock);
}

bool bw_tally_run(const bw_tally_job *job, bw_totals *totals, bw_tally_problem *problems)
{
    pthread_t threads[BW_TALLY_MOST_THREADS];
    unsigned started = 0;
    run r = {.job = job, .totals = totals, .problems = problems};
    r.slots = bw_calloc(job->file_count, sizeof *r.slots);
    clock_gettime(CLOCK_MONOTONIC, &r.start);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.changed, NULL);
    for (size_t i = 0; i < job->file_count; i++) {
        pthread_mutex_init(&r.slots[i].lock, NULL);
        r.bytes += bw_feed_bytes(job->files[i]);
    }
    pthread_mutex_lock(&r.lock);
    while (started < job->threads && pthread_create(&threads[started], NULL, work, &r) == 0)
        started++;
    r.working = started;
    pthread_mutex_unlock(&r.lock);
    if (started)
        watch(&r);
    else {
        r.working = 1;
        work(&r); /* no threads to be had: alone, then */
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    bool good = true;
    for (size_t i = 0; i < job->file_count; i++) {
        good = good && !problems[i].error;
        pthread_mutex_destroy(&r.slots[i].lock);
    }
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    free(r.slots);
    return good;
}
