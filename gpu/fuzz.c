/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "families.h"
#include "parallel.h"

/* What the model says of a request; `flags` says whether it merged and whether a lane is idle. */
typedef struct prediction {
    uint32_t cycles;
    uint8_t merged, masked, refused;
} prediction;

typedef struct batch {
    const bw_fuzz_options *options;
    bw_op op;
    unsigned slot; /* of the meter; slot 0 is for measuring again */
    uint32_t limit;
    uint64_t first; /* index of its first request in the sequence */
    size_t count;
    bw_request *requests; /* the slot's */
    prediction *predictions;
    double *cycles;
} batch;

typedef struct fuzzer {
    const bw_meter *meter;
    const bw_fuzz_options *options;
    bw_fuzz_report *report;
    size_t *doubtful; /* room for a batch */
    bw_request *again;
    bw_measured *measured;
} fuzzer;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make(void *context, unsigned thread, size_t begin, size_t end)
{
    batch *b = context;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        bw_request request;
        bw_cost cost;
        bw_family_request(b->op, b->options->seed, b->first + i, b->limit, &request);
        bool known = bw_cost_of(b->options->arch, &request, &cost) == BW_OK;
        b->requests[i] = request;
        b->predictions[i] =
            (prediction){cost.cycles, cost.merged, request.active != UINT32_MAX, !known};
    }
}

static double error_of(const batch *b, size_t i)
{
    return fabs(b->cycles[i] - (double)b->predictions[i].cycles);
}

/* Adds up a batch; lists those that must be measured again. */
static size_t look(fuzzer *f, const batch *b)
{
    size_t doubtful = 0;
    bw_fuzz_report *report = f->report;
    for (size_t i = 0; i < b->count; i++) {
        const prediction *p = &b->predictions[i];
        double error = error_of(b, i);
        report->merged += p->merged;
        report->masked += p->masked;
        report->cycles_sum += p->cycles;
        if (p->cycles > report->cycles_max)
            report->cycles_max = p->cycles;
        if (!(error < BW_FUZZ_DOUBT))
            f->doubtful[doubtful++] = i;
        else if (error > report->error_max)
            report->error_max = error;
    }
    report->requests += b->count;
    return doubtful;
}

static void judge(fuzzer *f, const bw_request *request, const bw_measured *measured,
                  uint32_t predicted)
{
    bw_fuzz_report *report = f->report;
    double error = fabs(measured->cycles - (double)predicted);
    report->unstable += !measured->stable;
    if (!measured->stable)
        return;
    if (error < 0.5) {
        report->error_max = error > report->error_max ? error : report->error_max;
        return;
    }
    report->mismatches++;
    if (report->kept_count < BW_FUZZ_KEPT)
        report->kept[report->kept_count++] = (bw_fuzz_finding){*request, *measured, predicted};
}

/* Holds a measured batch against the model. */
static bool compare(fuzzer *f, const batch *b)
{
    size_t doubtful = look(f, b);
    if (doubtful == 0)
        return true;
    for (size_t i = 0; i < doubtful; i++)
        f->again[i] = b->requests[f->doubtful[i]];
    if (!bw_measure(f->meter, b->op, f->again, doubtful, &f->options->again, f->measured))
        return false;
    f->report->again += doubtful;
    for (size_t i = 0; i < doubtful; i++)
        judge(f, &f->again[i], &f->measured[i], b->predictions[f->doubtful[i]].cycles);
    return true;
}

/* One batch is on the meter while the next is made, straight into the meter's memory. */
static bool make_batch(batch *b)
{
    unsigned threads = b->options->threads ? b->options->threads : bw_cores();
    bw_parallel(threads, b->count, b, make);
    for (size_t i = 0; i < b->count; i++)
        if (b->predictions[i].refused)
            return false;
    return true;
}

static bool submit(const fuzzer *f, const batch *b)
{
    return f->meter->submit(f->meter->context, b->slot, b->op, b->count, &f->options->timing);
}

static bool finish(fuzzer *f, batch *b)
{
    return f->meter->collect(f->meter->context, b->slot, b->cycles) && compare(f, b);
}

static batch new_batch(const fuzzer *f, bw_op op, unsigned slot)
{
    batch b = {.options = f->options, .op = op, .limit = f->meter->limit, .slot = slot};
    b.requests = f->meter->buffer(f->meter->context, slot, BW_BATCH);
    b.predictions = bw_alloc(BW_BATCH * sizeof *b.predictions);
    b.cycles = bw_alloc(BW_BATCH * sizeof *b.cycles);
    return b;
}

static void free_batch(batch *b)
{
    free(b->predictions);
    free(b->cycles);
}

static bool all_batches(fuzzer *f, batch batches[2])
{
    uint64_t done = 0, count = f->options->count;
    bool ok = true, pending = false;
    for (unsigned turn = 0; ok && (done < count || pending); turn ^= 1) {
        batch *next = &batches[turn], *last = &batches[turn ^ 1];
        bool more = done < count;
        next->first = done;
        next->count = count - done < BW_BATCH ? (size_t)(count - done) : BW_BATCH;
        ok = !more || (make_batch(next) && submit(f, next));
        ok = ok && (!pending || finish(f, last));
        done += more ? next->count : 0;
        pending = more;
        if (ok && f->options->progress)
            f->options->progress(f->options->context, f->report->requests);
    }
    return ok;
}

bool bw_fuzz(const bw_meter *meter, bw_op op, const bw_fuzz_options *options,
             bw_fuzz_report *report)
{
    fuzzer f = {.meter = meter, .options = options, .report = report};
    double begin = now();
    memset(report, 0, sizeof *report);
    report->op = op;
    f.doubtful = bw_alloc(BW_BATCH * sizeof *f.doubtful);
    f.again = bw_alloc(BW_BATCH * sizeof *f.again);
    f.measured = bw_alloc(BW_BATCH * sizeof *f.measured);
    batch batches[2] = {new_batch(&f, op, 1), new_batch(&f, op, 2)};
    bool ok = batches[0].requests && batches[1].requests && all_batches(&f, batches);
    free_batch(&batches[0]);
    free_batch(&batches[1]);
    free(f.doubtful);
    free(f.again);
    free(f.measured);
    report->seconds = now() - begin;
    return ok;
}
