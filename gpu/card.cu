/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "card_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Device memory that asynchronous copies read: a 16-byte chunk for each thread, and to spare. */
#define SOURCE_BYTES ((size_t)1 << 20)

/* Four warps of one-word loads do not fill the pipe; of four-word loads they do. */
#define BALLAST_DEGREE 4u

bool bw_card_ok(bw_card *card, cudaError_t code, const char *doing)
{
    if (code == cudaSuccess)
        return true;
    if (!card->error[0])
        snprintf(card->error, sizeof card->error, "the card failed while %s: %s (%s)", doing,
                 cudaGetErrorString(code), cudaGetErrorName(code));
    return false;
}

static int attribute(cudaDeviceAttr which, int index)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, index) == cudaSuccess ? value : 0;
}

/* The driver's own version is in a file on Linux; CUDA tells only which CUDA it serves. */
static void read_driver(bw_card_facts *facts)
{
    char line[256];
    snprintf(facts->driver, sizeof facts->driver, "for CUDA %d.%d", facts->cuda_driver / 1000,
             facts->cuda_driver % 1000 / 10);
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (!file)
        return;
    if (fgets(line, sizeof line, file))
        for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
            if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.')) {
                snprintf(facts->driver, sizeof facts->driver, "%s", word);
                break;
            }
    fclose(file);
}

static bool read_facts(bw_card *card, int index)
{
    bw_card_facts *facts = &card->facts;
    cudaDeviceProp prop;
    if (!bw_card_ok(card, cudaGetDeviceProperties(&prop, index), "reading its properties"))
        return false;
    snprintf(facts->name, sizeof facts->name, "%s", prop.name);
    snprintf(facts->pci, sizeof facts->pci, "%04x:%02x:%02x.0", prop.pciDomainID, prop.pciBusID,
             prop.pciDeviceID);
    cudaDriverGetVersion(&facts->cuda_driver);
    cudaRuntimeGetVersion(&facts->cuda_runtime);
    read_driver(facts);
    facts->cc = prop.major * 10 + prop.minor;
    facts->sms = prop.multiProcessorCount;
    facts->shared_block = (int)prop.sharedMemPerBlockOptin;
    facts->shared_sm = (int)prop.sharedMemPerMultiprocessor;
    facts->shared_reserved = (int)prop.reservedSharedMemPerBlock;
    facts->sm_mhz = attribute(cudaDevAttrClockRate, index) / 1000;
    facts->memory_mhz = attribute(cudaDevAttrMemoryClockRate, index) / 1000;
    facts->l2_bytes = prop.l2CacheSize;
    facts->ecc = prop.ECCEnabled != 0;
    facts->shared_with_display = attribute(cudaDevAttrKernelExecTimeout, index) != 0;
    return bw_card_ok(card, cudaMemGetInfo(&facts->memory_free, &facts->memory_bytes),
                      "reading its memory");
}

static void add_kernels(bw_card *card, const bw_kernel *kernels, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        card->kernels[kernels[i].op] = &kernels[i];
}

/* Each kernel may have all the shared memory of a block, so that one block fills an SM. */
static bool prepare(bw_card *card)
{
    add_kernels(card, bw_kernels_loads, bw_kernels_loads_count);
    add_kernels(card, bw_kernels_stores, bw_kernels_stores_count);
    add_kernels(card, bw_kernels_matrix, bw_kernels_matrix_count);
    add_kernels(card, bw_kernels_atomics, bw_kernels_atomics_count);
    add_kernels(card, bw_kernels_loops, bw_kernels_loops_count);
    add_kernels(card, bw_kernels_async, bw_kernels_async_count);
    for (int op = 0; op < BW_OP_COUNT; op++) {
        if (!card->kernels[op])
            continue;
        void (*both[2])(bw_job) = {card->kernels[op]->time, card->kernels[op]->wait};
        for (int k = 0; k < 2; k++)
            if (both[k] &&
                !bw_card_ok(card,
                            cudaFuncSetAttribute((const void *)both[k],
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 card->facts.shared_block),
                            "asking for all the shared memory of a block"))
                return false;
    }
    for (int s = 0; s < BW_METER_SLOTS; s++)
        if (!bw_card_ok(card, cudaStreamCreate(&card->slots[s].stream), "making a stream"))
            return false;
    return bw_card_ok(card, cudaMalloc((void **)&card->source_memory, SOURCE_BYTES),
                      "taking memory") &&
           bw_card_ok(card, cudaMemset(card->source_memory, 0, SOURCE_BYTES), "clearing memory");
}

/* No card, or none for us: not our failure. */
static bw_card_status refuse(cudaError_t code, int index, char *why, size_t size)
{
    const char *text = cudaGetErrorString(code);
    switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
        snprintf(why, size, "no NVIDIA card %d here (%s)", index, text);
        return BW_CARD_NONE;
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
        snprintf(why, size,
                 "no usable NVIDIA driver, or one older than CUDA %d.%d (%s); install a newer "
                 "driver or build with an older CUDA Toolkit",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, text);
        return BW_CARD_NONE;
    case cudaErrorDevicesUnavailable:
        snprintf(why, size, "card %d is taken by another program (%s); try again later", index,
                 text);
        return BW_CARD_NONE;
    case cudaErrorNoKernelImageForDevice:
        snprintf(why, size, "this program has no code for card %d (%s); build it there", index,
                 text);
        return BW_CARD_NONE;
    default:
        snprintf(why, size, "card %d cannot be used: %s (%s)", index, text, cudaGetErrorName(code));
        return BW_CARD_FAILED;
    }
}

bw_card_status bw_card_open(int index, bw_card **card, char *why, size_t size)
{
    int count = 0;
    cudaFuncAttributes attributes;
    *card = NULL;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && index >= count)
        code = cudaErrorInvalidDevice;
    if (code == cudaSuccess)
        code = cudaSetDevice(index);
    if (code == cudaSuccess)
        code = cudaFree(NULL); /* makes the context, and finds out whether the card is taken */
    if (code == cudaSuccess)
        code = cudaFuncGetAttributes(&attributes, (const void *)bw_kernels_loads[0].time);
    if (code != cudaSuccess)
        return refuse(code, index, why, size);
    bw_card *opened = (bw_card *)calloc(1, sizeof *opened);
    if (opened && read_facts(opened, index) && prepare(opened)) {
        *card = opened;
        return BW_CARD_OK;
    }
    snprintf(why, size, "%s", opened ? opened->error : "out of memory");
    bw_card_close(opened);
    return BW_CARD_FAILED;
}

static void free_slot(bw_slot *slot)
{
    cudaFreeHost(slot->requests);
    cudaFreeHost(slot->ticks);
    cudaFree(slot->device_requests);
    cudaFree(slot->device_ticks);
    slot->requests = slot->device_requests = NULL;
    slot->ticks = slot->device_ticks = NULL;
    slot->capacity = 0;
}

void bw_card_close(bw_card *card)
{
    if (!card)
        return;
    for (int s = 0; s < BW_METER_SLOTS; s++) {
        free_slot(&card->slots[s]);
        if (card->slots[s].stream)
            cudaStreamDestroy(card->slots[s].stream);
    }
    cudaFree(card->source_memory);
    free(card);
}

const bw_card_facts *bw_card_about(const bw_card *card)
{
    return &card->facts;
}

bool bw_card_has(const bw_card *card, bw_op op)
{
    const bw_gpu_op *row = bw_gpu_op_get(op);
    return row && card->kernels[op] && card->facts.cc >= row->least_cc;
}

static bw_request *buffer(void *context, unsigned s, size_t count)
{
    bw_card *card = (bw_card *)context;
    bw_slot *slot = &card->slots[s];
    if (count <= slot->capacity)
        return slot->requests;
    free_slot(slot);
    if (!bw_card_ok(card, cudaMallocHost((void **)&slot->requests, count * sizeof(bw_request)),
                    "taking memory of the host") ||
        !bw_card_ok(card, cudaMallocHost((void **)&slot->ticks, count * sizeof(bw_ticks)),
                    "taking memory of the host") ||
        !bw_card_ok(card, cudaMalloc((void **)&slot->device_requests, count * sizeof(bw_request)),
                    "taking memory of the card") ||
        !bw_card_ok(card, cudaMalloc((void **)&slot->device_ticks, count * sizeof(bw_ticks)),
                    "taking memory of the card"))
        return NULL;
    slot->capacity = count;
    return slot->requests;
}

static unsigned most_warps(void *context, bw_op op)
{
    const bw_card *card = (const bw_card *)context;
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)card->kernels[op]->time) != cudaSuccess)
        return 1;
    unsigned warps = (unsigned)attributes.maxThreadsPerBlock / BW_LANES;
    return bw_gpu_op_get(op)->method == BW_METHOD_LOOP ? warps - BW_BALLAST_WARPS : warps;
}

/* Bytes from 0 to the end of the farthest access of a batch, in whole rows of the banks. */
static uint32_t reach(const bw_request *requests, size_t count)
{
    uint32_t end = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t lanes = bw_request_lanes(&requests[i]);
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            if (lanes >> lane & 1 && requests[i].addr[lane] > end)
                end = requests[i].addr[lane];
    }
    return (end + 16 + 127) / 128 * 128;
}

/* Each warp of a loop gets addresses of its own, or they would undo each other's work. */
static unsigned spread_warps(bw_job *job, const bw_request *requests, size_t count)
{
    job->region = reach(requests, count);
    unsigned fit = job->scratch / job->region;
    if (job->workers > fit)
        job->workers = fit ? fit : 1;
    return job->workers + BW_BALLAST_WARPS;
}

/* Matrix operations read the addresses of all lanes: those that do not count must be harmless. */
static void tame_idle_lanes(bw_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t lanes = bw_request_lanes(&requests[i]);
        for (unsigned lane = 0; lane < BW_LANES; lane++)
            if (!(lanes >> lane & 1))
                requests[i].addr[lane] = 0;
    }
}

/* Nothing is less than 0: unsigned minima start from the top. */
uint32_t bw_job_fill(bw_op op)
{
    const bw_op_info *info = bw_op_get(op);
    return info->atomic == BW_AT_MIN && info->value == BW_VALUE_U64 ? ~0u : 0;
}

static bool submit(void *context, unsigned s, bw_op op, size_t count, const bw_timing *timing)
{
    bw_card *card = (bw_card *)context;
    bw_slot *slot = &card->slots[s];
    const bw_gpu_op *row = bw_gpu_op_get(op);
    char kernel_name[BW_KERNEL_NAME];
    bw_gpu_kernel_name(op, timing->latency, kernel_name, sizeof kernel_name);
    bw_job job = {};
    job.requests = slot->device_requests;
    job.ticks = slot->device_ticks;
    job.count = (uint32_t)count;
    job.loops[0] = 2; /* the second warm-up turn finds everything in the caches */
    job.loops[1] = timing->loops[0];
    job.loops[2] = timing->loops[1];
    job.workers = timing->latency ? 1 : timing->warps;
    job.scratch = (uint32_t)card->facts.shared_block - BW_SCRATCH_BYTES;
    job.one = 1;
    job.fill = bw_job_fill(op);
    job.ballast = BALLAST_DEGREE;
    job.source = card->source_memory;
    job.source_stride = card->sources.set ? card->sources.lane : bw_op_get(op)->bytes;
    job.source_warp = card->sources.warp;
    job.source_issue = card->sources.issue;
    unsigned warps = job.workers;
    if (!timing->latency && row->method == BW_METHOD_LOOP)
        warps = spread_warps(&job, slot->requests, count);
    if (bw_op_get(op)->matrices)
        tame_idle_lanes(slot->requests, count);
    slot->count = count;
    slot->issues = (double)(timing->loops[1] - timing->loops[0]) * BW_ISSUES * job.workers;
    void (*kernel)(bw_job) = timing->latency ? card->kernels[op]->wait : card->kernels[op]->time;
    void *arguments[] = {&job};
    unsigned blocks = count < (size_t)card->facts.sms ? (unsigned)count : (unsigned)card->facts.sms;
    return bw_card_ok(card,
                      cudaMemcpyAsync(slot->device_requests, slot->requests,
                                      count * sizeof(bw_request), cudaMemcpyHostToDevice,
                                      slot->stream),
                      "sending requests") &&
           bw_card_ok(card,
                      cudaLaunchKernel((const void *)kernel, dim3(blocks), dim3(warps * BW_LANES),
                                       arguments, (size_t)card->facts.shared_block, slot->stream),
                      kernel_name) &&
           bw_card_ok(card,
                      cudaMemcpyAsync(slot->ticks, slot->device_ticks, count * sizeof(bw_ticks),
                                      cudaMemcpyDeviceToHost, slot->stream),
                      "fetching times");
}

static bool collect(void *context, unsigned s, double *cycles)
{
    bw_card *card = (bw_card *)context;
    bw_slot *slot = &card->slots[s];
    if (!bw_card_ok(card, cudaStreamSynchronize(slot->stream), "measuring"))
        return false;
    for (size_t i = 0; i < slot->count; i++) {
        int32_t difference = (int32_t)(slot->ticks[i].pass[1] - slot->ticks[i].pass[0]);
        cycles[i] = difference / slot->issues;
    }
    return true;
}

static const char *error(void *context)
{
    return ((const bw_card *)context)->error;
}

bw_meter bw_card_meter(bw_card *card)
{
    bw_meter meter = {card,   (uint32_t)card->facts.shared_block - BW_SCRATCH_BYTES,
                      buffer, most_warps,
                      submit, collect,
                      error};
    return meter;
}

/* One block keeps busy for about a millisecond and reads both clocks before and after. */
static __global__ void read_clocks(unsigned long long *out)
{
    unsigned long long cycles[2], nanoseconds[2];
    for (int i = 0; i < 2; i++) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds[i])::"memory");
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles[i])::"memory");
        for (unsigned long long now = cycles[i]; i == 0 && now - cycles[0] < 4000000;)
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    }
    out[0] = cycles[1] - cycles[0];
    out[1] = nanoseconds[1] - nanoseconds[0];
}

double bw_card_clock(bw_card *card)
{
    unsigned long long *device = NULL, host[2] = {0, 0};
    if (bw_card_ok(card, cudaMalloc((void **)&device, sizeof host), "taking memory")) {
        /* The first run may find the card at rest. */
        for (int i = 0; i < 3; i++)
            read_clocks<<<1, 1>>>(device);
        bw_card_ok(card, cudaGetLastError(), "reading clocks");
        bw_card_ok(card, cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost),
                   "reading clocks");
    }
    cudaFree(device);
    return host[1] ? 1000.0 * (double)host[0] / (double)host[1] : 0;
}
