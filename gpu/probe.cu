/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#include "card_private.h"
#include "families.h"
#include "harness.cuh"
#include "measure.h"

const char *bw_card_why(const bw_card *card)
{
    return card->error;
}

static size_t all_shared(const bw_card *card)
{
    return (size_t)card->facts.shared_block;
}

static bool allow_shared(bw_card *card, const void *kernel)
{
    return bw_card_ok(card,
                      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           card->facts.shared_block),
                      "asking for all the shared memory of a block");
}

/* -- which lane's store wins --------------------------------------------------------------------
 */

/* For each lane of each request, the lane whose value stands at its address after the store. */
template <int Words, typename Part>
static __device__ void store_and_read(const bw_request *requests, unsigned char *winners,
                                      unsigned count)
{
    const unsigned lane = threadIdx.x;
    for (unsigned r = blockIdx.x; r < count; r += gridDim.x) {
        const unsigned active = requests[r].active;
        Part *at = (Part *)(bw_shared + requests[r].addr[lane]);
        bool mine = active >> lane & 1;
        if (mine)
            for (int w = 0; w < Words; w++)
                at[w] = (Part)0xff;
        __syncwarp();
        const unsigned a = bw_base() + requests[r].addr[lane];
        if (mine) {
            if (sizeof(Part) == 1)
                asm volatile("st.volatile.shared.u8 [%0], %1;" ::"r"(a), "r"(lane) : "memory");
            else if (sizeof(Part) == 2)
                asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(a), "h"((short)lane)
                             : "memory");
            else if (Words == 1)
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(a), "r"(lane) : "memory");
            else if (Words == 2)
                asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(lane)
                             : "memory");
            else
                asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(lane)
                             : "memory");
        }
        __syncwarp();
        unsigned first = mine ? (unsigned)((volatile Part *)at)[0] : 0;
        for (int w = 1; mine && w < Words; w++)
            if ((unsigned)((volatile Part *)at)[w] != first)
                first = 0xfe; /* torn: parts of two lanes' values */
        winners[r * BW_LANES + lane] = (unsigned char)(mine ? first : 0xff);
        __syncwarp();
    }
}

extern "C" __global__ void bw_probe_win_8(const bw_request *q, unsigned char *w, unsigned n)
{
    store_and_read<1, unsigned char>(q, w, n);
}
extern "C" __global__ void bw_probe_win_16(const bw_request *q, unsigned char *w, unsigned n)
{
    store_and_read<1, unsigned short>(q, w, n);
}
extern "C" __global__ void bw_probe_win_32(const bw_request *q, unsigned char *w, unsigned n)
{
    store_and_read<1, unsigned>(q, w, n);
}
extern "C" __global__ void bw_probe_win_64(const bw_request *q, unsigned char *w, unsigned n)
{
    store_and_read<2, unsigned>(q, w, n);
}
extern "C" __global__ void bw_probe_win_128(const bw_request *q, unsigned char *w, unsigned n)
{
    store_and_read<4, unsigned>(q, w, n);
}

typedef void (*win_kernel)(const bw_request *, unsigned char *, unsigned);

/* How the groups of lanes that wrote one address came out. */
typedef struct win_counts {
    unsigned long long groups, lowest, last_part, highest, torn, changed;
} win_counts;

/* Looks at each group of a request once, at its lowest lane. A part is what the hardware serves at
 * a time: half a warp of 8-byte stores, a quarter of 16-byte ones; `last` is the lowest lane of the
 * group within the last part that has one. `before`: an earlier run, or NULL. */
static void count_winners(const bw_request *q, const unsigned char *won,
                          const unsigned char *before, win_counts *counts)
{
    const unsigned bytes = bw_op_get(q->op)->bytes, part = bytes > 4 ? 128 / bytes : BW_LANES;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        unsigned low = BW_LANES, high = 0, last = 0, members = 0;
        for (unsigned other = 0; other < BW_LANES; other++)
            if (q->active >> other & 1 && q->addr[other] == q->addr[lane]) {
                low = low == BW_LANES ? other : low;
                last = members == 0 || other / part != last / part ? other : last;
                high = other;
                members++;
            }
        if (!(q->active >> lane & 1) || low != lane || members < 2)
            continue;
        counts->groups++;
        counts->highest += won[lane] == high;
        counts->lowest += won[lane] == low;
        counts->last_part += won[lane] == last;
        counts->torn += won[lane] == 0xfe;
        counts->changed += before && before[lane] != won[lane];
    }
}

static bool winners_of(bw_card *card, FILE *out, bw_op op, win_kernel kernel, uint64_t count)
{
    const int runs = 32;
    size_t bytes = count * sizeof(bw_request), answers = count * BW_LANES;
    bw_request *requests = (bw_request *)malloc(bytes), *device_requests = NULL;
    unsigned char *won = (unsigned char *)malloc(answers), *device_won = NULL;
    unsigned char *before = (unsigned char *)malloc(answers);
    win_counts counts = {};
    for (uint64_t i = 0; i < count; i++)
        bw_family_request(op, 1, i, 49152, &requests[i]);
    bool ok = allow_shared(card, (const void *)kernel) &&
              bw_card_ok(card, cudaMalloc((void **)&device_requests, bytes), "taking memory") &&
              bw_card_ok(card, cudaMalloc((void **)&device_won, answers), "taking memory") &&
              bw_card_ok(card, cudaMemcpy(device_requests, requests, bytes, cudaMemcpyDefault),
                         "sending requests");
    for (int run = 0; ok && run < runs; run++) {
        kernel<<<card->facts.sms, BW_LANES, all_shared(card)>>>(device_requests, device_won,
                                                                (unsigned)count);
        ok = bw_card_ok(card, cudaGetLastError(), "storing") &&
             bw_card_ok(card, cudaMemcpy(won, device_won, answers, cudaMemcpyDefault), "storing");
        for (uint64_t i = 0; ok && i < count; i++)
            count_winners(&requests[i], won + i * BW_LANES, run ? before + i * BW_LANES : NULL,
                          &counts);
        memcpy(before, won, answers);
    }
    if (ok)
        fprintf(out, "%s,%llu,%d,%llu,%llu,%llu,%llu,%llu,%llu\n", bw_op_get(op)->name,
                (unsigned long long)count, runs, counts.groups, counts.lowest, counts.last_part,
                counts.highest, counts.torn, counts.changed);
    cudaFree(device_requests);
    cudaFree(device_won);
    free(requests);
    free(won);
    free(before);
    return ok;
}

bool bw_probe_winner(bw_card *card, FILE *out, uint64_t count)
{
    fputs("op,requests,runs,groups,lowest_lane_won,lowest_lane_of_last_part_won,highest_lane_won,"
          "torn,changed_between_runs\n",
          out);
    return winners_of(card, out, BW_OP_ST_8, bw_probe_win_8, count) &&
           winners_of(card, out, BW_OP_ST_16, bw_probe_win_16, count) &&
           winners_of(card, out, BW_OP_ST_32, bw_probe_win_32, count) &&
           winners_of(card, out, BW_OP_ST_64, bw_probe_win_64, count) &&
           winners_of(card, out, BW_OP_ST_128, bw_probe_win_128, count);
}

/* -- how many warps it takes --------------------------------------------------------------------
 */

/* Lanes 0, 1, … take turns on `ways` rows of the first bank (or of the first 16 bytes). */
static void in_ways(bw_request *request, bw_op op, unsigned ways)
{
    request->op = op;
    request->active = ~0u;
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request->addr[lane] = lane % ways * 128;
}

static bool ways_once(bw_card *card, FILE *out, bw_op op, unsigned ways)
{
    bw_meter meter = bw_card_meter(card);
    bw_request *request = meter.buffer(card, 0, 1);
    bw_timing latency = BW_TIMING_LATENCY, timing = BW_TIMING_CAREFUL;
    double cycles;
    if (!request)
        return false;
    in_ways(request, op, ways);
    fprintf(out, "%s,%u,", bw_op_get(op)->name, ways);
    if (bw_gpu_op_get(op)->answers) {
        if (!meter.submit(card, 0, op, 1, &latency) || !meter.collect(card, 0, &cycles))
            return false;
        fprintf(out, "%.2f", cycles);
    }
    for (timing.warps = 1; timing.warps <= BW_LANES; timing.warps *= 2) {
        fputc(',', out);
        if (timing.warps > meter.most_warps(card, op))
            continue;
        if (!meter.submit(card, 0, op, 1, &timing) || !meter.collect(card, 0, &cycles))
            return false;
        fprintf(out, "%.3f", cycles);
    }
    fputc('\n', out);
    return true;
}

bool bw_probe_ways(bw_card *card, FILE *out)
{
    fputs("op,ways,latency,cycles_1,cycles_2,cycles_4,cycles_8,cycles_16,cycles_32\n", out);
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (unsigned ways = 1; ways <= BW_LANES && bw_card_has(card, (bw_op)op); ways *= 2)
            if (!ways_once(card, out, (bw_op)op, ways))
                return false;
    return true;
}

/* -- distributed shared memory ------------------------------------------------------------------
 */

/* Loads of a block's memory, back to back or each waiting for the one before. */
template <bool Chain>
static __device__ __forceinline__ unsigned far_loads(unsigned at, unsigned loops)
{
    unsigned sink = 0;
#if __CUDA_ARCH__ >= 900
#pragma unroll 1
    for (unsigned i = 0; i < loops; i++) {
#pragma unroll
        for (unsigned turn = 0; turn < BW_ISSUES; turn++) {
            unsigned v;
            asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at));
            if (Chain)
                at += v;
            else
                sink += v;
        }
    }
#endif
    return Chain ? at : sink;
}

/* ticks: two passes of issues back to back, then two of dependent ones, by thread 0 of block 0. */
extern "C" __global__ void __launch_bounds__(1024)
    bw_probe_far(unsigned stride, unsigned remote, unsigned zero, unsigned scratch, bw_ticks *ticks)
{
#if __CUDA_ARCH__ >= 900
    bw_job job = {};
    job.scratch = scratch;
    job.zero = zero;
    unsigned rank, target, a = bw_base() + threadIdx.x % BW_LANES * stride, sink = 0;
    bw_clear(job);
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(target)
                 : "r"(a), "r"(rank ^ remote));
    for (unsigned pass = 0; pass < 5; pass++) {
        const bool chain = pass >= 3;
        const unsigned loops = pass == 0 ? 2 : pass == 1 || pass == 3 ? 1 : 3;
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        const unsigned start = bw_clock();
        if (!chain)
            sink = far_loads<false>(target, loops);
        else if (threadIdx.x < BW_LANES)
            sink = far_loads<true>(target, loops);
        bw_await(sink);
        __syncwarp();
        const unsigned elapsed = bw_elapsed(job, start, bw_clock());
        if (threadIdx.x == 0 && blockIdx.x == 0 && pass)
            ticks[(pass - 1) / 2].pass[(pass - 1) % 2] = elapsed;
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

static bool far_once(bw_card *card, unsigned stride, unsigned remote, unsigned warps,
                     unsigned blocks, bw_ticks *device, bw_ticks host[2])
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(warps * BW_LANES);
    config.dynamicSmemBytes = all_shared(card);
    config.attrs = &cluster;
    config.numAttrs = 1;
    return bw_card_ok(card,
                      cudaLaunchKernelEx(&config, bw_probe_far, stride, remote, 0u,
                                         (unsigned)card->facts.shared_block - BW_SCRATCH_BYTES,
                                         device),
                      "launching a cluster") &&
           bw_card_ok(card, cudaMemcpy(host, device, 2 * sizeof *host, cudaMemcpyDefault),
                      "reading the other block's memory");
}

bool bw_probe_cluster(bw_card *card, FILE *out)
{
    static const unsigned strides[] = {0,  4,  8,  12,  16,  20,  24,  28,  32,  36,  48,
                                       64, 68, 96, 100, 128, 132, 256, 260, 512, 1024};
    bw_ticks *device = NULL, host[2];
    if (card->facts.cc < 90) {
        fputs("# clusters need sm_90 or later\n", out);
        return true;
    }
    bool ok = allow_shared(card, (const void *)bw_probe_far) &&
              bw_card_ok(card, cudaMalloc((void **)&device, sizeof host), "taking memory");
    fputs("memory,clusters,warps,stride_bytes,cycles,latency\n", out);
    for (unsigned remote = 0; ok && remote < 2; remote++)
        for (unsigned blocks = 2; ok && blocks <= 64; blocks *= 32)
            for (unsigned warps = 1; ok && warps <= 32; warps *= 2)
                for (unsigned s = 0; ok && s < sizeof strides / sizeof *strides; s++) {
                    ok = far_once(card, strides[s], remote, warps, blocks, device, host);
                    double issues = 2.0 * BW_ISSUES;
                    fprintf(out, "%s,%u,%u,%u,%.3f,%.2f\n", remote ? "other" : "own", blocks / 2,
                            warps, strides[s],
                            (int)(host[0].pass[1] - host[0].pass[0]) / (issues * warps),
                            (int)(host[1].pass[1] - host[1].pass[0]) / issues);
                }
    cudaFree(device);
    return ok;
}

/* -- asynchronous copies ------------------------------------------------------------------------
 */

typedef struct layout {
    const char *name;
    uint32_t (*place)(unsigned lane, unsigned bytes);
} layout;

static uint32_t in_order(unsigned lane, unsigned bytes)
{
    return lane * bytes;
}
static uint32_t reversed(unsigned lane, unsigned bytes)
{
    return (BW_LANES - 1 - lane) * bytes;
}
/* The eight 16-byte chunks of a row change places, each row like the others. */
static uint32_t rotated_in_row(unsigned lane, unsigned bytes)
{
    unsigned row = 128 / bytes;
    return (lane / row * row + (lane + 1) % row) * bytes;
}
static uint32_t swizzled(unsigned lane, unsigned bytes)
{
    unsigned row = 128 / bytes;
    return (lane / row * row + (lane % row ^ lane / row % row)) * bytes;
}
static uint32_t scattered(unsigned lane, unsigned bytes)
{
    return lane * 5 % BW_LANES * bytes;
}
static uint32_t padded(unsigned lane, unsigned bytes)
{
    return lane * (128 + bytes);
}
static uint32_t one_bank(unsigned lane, unsigned bytes)
{
    (void)bytes;
    return lane * 128;
}
static uint32_t one_place(unsigned lane, unsigned bytes)
{
    (void)lane, (void)bytes;
    return 0;
}

static const layout layouts[] = {
    {"in order", in_order}, {"reversed", reversed},   {"rotated in each row", rotated_in_row},
    {"swizzled", swizzled}, {"scattered", scattered}, {"one a row; padded", padded},
    {"one bank", one_bank}, {"one place", one_place},
};

/* Where the data comes from. Copies that pass L1 by read it from L2. */
static const struct {
    const char *name;
    bw_source_steps sources;
} sources[] = {
    {"one chunk", {true, 0, 0, 0}},
    {"in order", {true, 0, 0, 0}}, /* as far apart as the destinations: filled in below */
    {"in order; 16 places in turn", {true, 0, 0, 0}},
    {"a line a lane", {true, 128, 0, 0}},
};

static bw_source_steps sources_of(unsigned which, unsigned bytes)
{
    bw_source_steps s = sources[which].sources;
    if (which == 1 || which == 2)
        s.lane = bytes;
    if (which == 2) {
        s.issue = BW_LANES * bytes;
        s.warp = BW_LANES * bytes * BW_SOURCE_TURNS;
    }
    return s;
}

static bool async_once(bw_card *card, FILE *out, bw_op op, const layout *to, unsigned from,
                       unsigned warps)
{
    bw_meter meter = bw_card_meter(card);
    bw_timing timing = {warps, {1, 3}, false};
    bw_request *request = meter.buffer(card, 0, 1);
    double cycles[5];
    bool ok = request != NULL;
    if (!ok)
        return false;
    request->op = op;
    request->active = ~0u;
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request->addr[lane] = to->place(lane, bw_op_get(op)->bytes);
    card->sources = sources_of(from, bw_op_get(op)->bytes);
    for (int i = 0; ok && i < 5; i++)
        ok = meter.submit(card, 0, op, 1, &timing) && meter.collect(card, 0, &cycles[i]);
    card->sources.set = false;
    card->sources.warp = card->sources.issue = 0;
    bw_measured settled = bw_settle(cycles, 5);
    if (ok)
        fprintf(out, "%s,%s,%s,%u,%.3f,%.3f\n", bw_op_get(op)->name, to->name, sources[from].name,
                warps, settled.cycles, settled.spread);
    return ok;
}

bool bw_probe_async(bw_card *card, FILE *out)
{
    static const bw_op ops[] = {BW_OP_CP_ASYNC_4, BW_OP_CP_ASYNC_8, BW_OP_CP_ASYNC_16_CA,
                                BW_OP_CP_ASYNC_16};
    if (card->facts.cc < 80) {
        fputs("# cp.async needs sm_80 or later\n", out);
        return true;
    }
    fputs("op,destination,source,warps,cycles,cycles_spread\n", out);
    for (bw_op op : ops)
        for (const layout &to : layouts)
            for (unsigned from = 0; from < sizeof sources / sizeof *sources; from++)
                for (unsigned warps = 8; warps <= 32; warps *= 2)
                    if (!async_once(card, out, op, &to, from, warps))
                        return false;
    return true;
}

/* -- stores of zero -----------------------------------------------------------------------------
 */

/* The same stores as stores.cu's, but of registers. */
BW_OPERATION(register_64, false, false, false, false, false, const unsigned z = job.zero;
             asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(z)
                          : "memory");
             return 0;)
BW_OPERATION(register_128, false, false, false, false, false, const unsigned z = job.zero;
             asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(z)
                          : "memory");
             return 0;)
extern "C" __global__ void __launch_bounds__(1024, 1) bw_probe_store_64(BW_JOB job)
{
    bw_time_pipe<register_64>(job);
}
extern "C" __global__ void __launch_bounds__(1024, 1) bw_probe_store_128(BW_JOB job)
{
    bw_time_pipe<register_128>(job);
}

/* Conflict-free stores by the first `lanes` lanes, with the kernel that `time` stands for. */
static bool store_once(bw_card *card, FILE *out, bw_op op, unsigned lanes, const bw_kernel *kernel,
                       const char *what)
{
    bw_meter meter = bw_card_meter(card);
    bw_timing timing = BW_TIMING_CAREFUL;
    bw_request *request = meter.buffer(card, 0, 1);
    const bw_kernel *usual = card->kernels[op];
    double cycles;
    if (!request)
        return false;
    request->op = op;
    request->active = ~0u >> (BW_LANES - lanes);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request->addr[lane] = lane * bw_op_get(op)->bytes;
    card->kernels[op] = kernel;
    bool ok = meter.submit(card, 0, op, 1, &timing) && meter.collect(card, 0, &cycles);
    card->kernels[op] = usual;
    if (ok)
        fprintf(out, "%s,%s,%u,%.3f\n", bw_op_get(op)->name, what, lanes, cycles);
    return ok;
}

bool bw_probe_zero(bw_card *card, FILE *out)
{
    static const bw_kernel registers[] = {{BW_OP_ST_64, bw_probe_store_64, NULL},
                                          {BW_OP_ST_128, bw_probe_store_128, NULL}};
    fputs("op,source,lanes,cycles\n", out);
    for (const bw_kernel &kernel : registers) {
        if (!allow_shared(card, (const void *)kernel.time))
            return false;
        for (unsigned lanes = 1; lanes <= BW_LANES; lanes = lanes < 4 ? lanes + 3 : lanes + 4)
            if (!store_once(card, out, kernel.op, lanes, &kernel, "registers") ||
                !store_once(card, out, kernel.op, lanes, card->kernels[kernel.op], "zero"))
                return false;
    }
    return true;
}

/* -- a stream of global memory beside
 * --------------------------------------------------------------
 */

/* The first half of the warps makes conflict-free shared loads (or none), the second half streams
 * global memory (or does not). Both amounts are fixed, so that a profiler can divide. */
extern "C" __global__ void __launch_bounds__(1024)
    bw_probe_beside(const float4 *stream, float4 *sink, unsigned chunks, unsigned turns,
                    unsigned scratch, bw_ticks *ticks)
{
    bw_job job = {};
    job.scratch = scratch;
    const unsigned warp = threadIdx.x / BW_LANES, lane = threadIdx.x % BW_LANES;
    const unsigned workers = blockDim.x / BW_LANES / 2;
    bw_clear(job);
    __syncthreads();
    const unsigned start = bw_clock();
    unsigned stop = start;
    if (warp < workers) {
#pragma unroll 1
        for (unsigned i = 0; i < turns; i++)
#pragma unroll
            for (unsigned turn = 0; turn < BW_ISSUES; turn++)
                bw_load(bw_base() + lane * 4);
        bw_await(bw_load(bw_base() + 4 * lane));
        stop = bw_clock();
    } else {
        float4 sum = {0, 0, 0, 0};
        const unsigned mine = (threadIdx.x - workers * BW_LANES);
        for (unsigned c = 0; c < chunks; c++) {
            float4 v = stream[((size_t)c * gridDim.x + blockIdx.x) * workers * BW_LANES + mine];
            sum.x += v.x + v.y + v.z + v.w;
        }
        if (sum.x == 1.5f)
            *sink = sum;
    }
    const unsigned elapsed = bw_elapsed(job, start, stop);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        ticks->pass[0] = elapsed;
}

bool bw_probe_stream(bw_card *card, FILE *out)
{
    static const struct {
        const char *name;
        unsigned chunks, turns;
    } variants[] = {{"neither", 0, 0},
                    {"shared loads", 0, 16},
                    {"global stream", 128, 0},
                    {"shared loads beside a global stream", 128, 16}};
    const unsigned warps = 32, workers = warps / 2, blocks = (unsigned)card->facts.sms;
    size_t bytes = (size_t)128 * blocks * workers * BW_LANES * sizeof(float4);
    float4 *stream = NULL;
    bw_ticks *device = NULL, host;
    bool ok = allow_shared(card, (const void *)bw_probe_beside) &&
              bw_card_ok(card, cudaMalloc((void **)&stream, bytes), "taking memory") &&
              bw_card_ok(card, cudaMemset(stream, 0, bytes), "clearing memory") &&
              bw_card_ok(card, cudaMalloc((void **)&device, sizeof host), "taking memory");
    fputs("variant,blocks,shared_loads,global_loads,cycles_of_shared_loads\n", out);
    for (int round = 0; ok && round < 2; round++)
        for (const auto &v : variants) {
            bw_probe_beside<<<blocks, warps * BW_LANES, all_shared(card)>>>(
                stream, stream, v.chunks, v.turns,
                (unsigned)card->facts.shared_block - BW_SCRATCH_BYTES, device);
            ok = ok && bw_card_ok(card, cudaGetLastError(), "streaming") &&
                 bw_card_ok(card, cudaMemcpy(&host, device, sizeof host, cudaMemcpyDefault),
                            "streaming");
            double loads = (double)v.turns * BW_ISSUES * workers;
            if (ok && round)
                fprintf(out, "%s,%u,%.0f,%.0f,%.3f\n", v.name, blocks, loads * blocks,
                        (double)v.chunks * workers * blocks, loads ? host.pass[0] / loads : 0);
        }
    cudaFree(stream);
    cudaFree(device);
    return ok;
}

/* -- for a profiler -----------------------------------------------------------------------------
 */

static bool launch_once(bw_card *card, const bw_request *request, size_t count, unsigned one,
                        unsigned turns)
{
    bw_meter meter = bw_card_meter(card);
    bw_request *slot = meter.buffer(card, 0, count);
    if (!slot)
        return false;
    memcpy(slot, request, count * sizeof *slot);
    bw_job job = {};
    job.requests = card->slots[0].device_requests;
    job.ticks = card->slots[0].device_ticks;
    job.count = (unsigned)count;
    job.loops[2] = turns;
    job.workers = 1;
    job.scratch = meter.limit;
    job.one = one;
    job.fill = bw_job_fill(request->op);
    job.source = card->source_memory;
    job.source_stride = bw_op_get(request->op)->bytes;
    void *arguments[] = {&job};
    return bw_card_ok(card,
                      cudaMemcpy(card->slots[0].device_requests, slot, count * sizeof *slot,
                                 cudaMemcpyDefault),
                      "sending a request") &&
           bw_card_ok(card,
                      cudaLaunchKernel((const void *)card->kernels[request->op]->time, dim3(1),
                                       dim3(BW_LANES), arguments, all_shared(card), 0),
                      "launching") &&
           bw_card_ok(card, cudaDeviceSynchronize(), "running a request");
}

bool bw_probe_counters(bw_card *card, FILE *out, const bw_request *requests, size_t count,
                       size_t batch, unsigned operand)
{
    fputs("launch,first,count,op,issues\n", out);
    for (size_t first = 0, launch = 0, size; first < count; first += size) {
        for (size = 1; size < batch && first + size < count; size++)
            if (requests[first + size].op != requests[first].op)
                break;
        for (unsigned turns = 1; turns <= 2; turns++) {
            if (!launch_once(card, &requests[first], size, operand, turns))
                return false;
            fprintf(out, "%zu,%zu,%zu,%s,%u\n", launch++, first, size,
                    bw_op_get(requests[first].op)->name, turns * BW_ISSUES);
        }
    }
    return true;
}
