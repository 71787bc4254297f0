/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launches: writes down what a CUDA program launches, so that its kernels can be run as machine
 * code on a machine without a card.
 *
 *     nvcc -cudart shared … ; LD_PRELOAD=bankwise-launches.so BANKWISE_LAUNCHES=FOLDER ./program
 *
 * A library to be preloaded: it stands before the CUDA runtime's launch functions, writes a line
 * for the launch, its arguments as bytes and the contents of the buffers that they point to, and
 * passes the call on. FOLDER/launches.txt is the list:
 *
 *     launch NAME grid X Y Z block X Y Z shared BYTES
 *     arg INDEX offset BYTES size BYTES hex BYTES
 *     pointer INDEX at BYTES buffer NUMBER plus BYTES size BYTES file NAME|-
 *
 * INDEX counts a kernel's parameters from 0; `at` is where in the parameter the pointer stands;
 * `plus` is where in the buffer it points; a file "-" was too large to keep.
 *
 *     BANKWISE_LAUNCHES        the folder, which must exist; unset: nothing is written
 *     BANKWISE_LAUNCHES_EACH   how many launches of each kernel (1; 0: all)
 *     BANKWISE_LAUNCHES_BYTES  larger buffers are not kept (16 MiB)
 *
 * Knows the CUDA driver's and runtime's types, and nothing of the model. One lock: launches of
 * several threads are written one after another. Errors of its own are told once on standard error;
 * the program runs on.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES ((size_t)16 << 20)
#define MAX_KERNELS                                                                                \
    4096 /* of different names; launches of further ones are not counted, but written */
#define PATH_BYTES 4096

/* The driver's functions, by name: a program may be linked with the runtime alone. */
typedef struct driver {
    CUresult (*get_name)(const char **name, CUkernel kernel);
    CUresult (*get_param)(CUkernel kernel, size_t index, size_t *offset, size_t *size);
    CUresult (*pointer_attribute)(void *data, CUpointer_attribute attribute, CUdeviceptr pointer);
    CUresult (*address_range)(CUdeviceptr *base, size_t *size, CUdeviceptr pointer);
    CUresult (*copy_out)(void *host, CUdeviceptr device, size_t bytes);
    CUresult (*synchronize)(void);
} driver;

typedef struct recorder {
    pthread_mutex_t lock;
    bool started, off;
    driver cuda;
    FILE *out;
    const char *folder;
    unsigned long each;
    size_t bytes;
    unsigned buffers;
    char *names[MAX_KERNELS];
    unsigned long counts[MAX_KERNELS];
    size_t name_count;
} recorder;

static recorder state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void give_up(const char *what, const char *which)
{
    if (!state.off)
        fprintf(stderr, "bankwise-launches: error: %s%s: no launches are written\n", what, which);
    state.off = true;
}

static unsigned long number_of(const char *variable, unsigned long fallback)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return fallback;
    unsigned long value = strtoul(text, &end, 10);
    if (*end)
        give_up("not a number: ", variable);
    return value;
}

/* C has no conversion of an object pointer to a function's: by way of bytes, as POSIX shows. */
static void resolve(void *library, const char *name, void *into)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        give_up("the CUDA driver has no ", name);
    memcpy(into, &symbol, sizeof symbol);
}

static void resolve_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        give_up("no CUDA driver: ", "libcuda.so.1");
        return;
    }
    resolve(library, "cuKernelGetName", &state.cuda.get_name);
    resolve(library, "cuKernelGetParamInfo", &state.cuda.get_param);
    resolve(library, "cuPointerGetAttribute", &state.cuda.pointer_attribute);
    resolve(library, "cuMemGetAddressRange_v2", &state.cuda.address_range);
    resolve(library, "cuMemcpyDtoH_v2", &state.cuda.copy_out);
    resolve(library, "cuCtxSynchronize", &state.cuda.synchronize);
}

static void start(void)
{
    state.started = true;
    state.folder = getenv("BANKWISE_LAUNCHES");
    if (!state.folder || !*state.folder) {
        state.off = true;
        return;
    }
    state.each = number_of("BANKWISE_LAUNCHES_EACH", 1);
    state.bytes = number_of("BANKWISE_LAUNCHES_BYTES", DEFAULT_BYTES);
    resolve_driver();
    if (state.off)
        return;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/launches.txt", state.folder);
    state.out = fopen(path, "w");
    if (!state.out)
        give_up("cannot write ", path);
    else
        fprintf(state.out, "# bankwise launches 1\n");
}

/* Whether this launch of the kernel is one to be written; counts it. */
static bool is_wanted(const char *name)
{
    size_t i = 0;
    while (i < state.name_count && strcmp(state.names[i], name) != 0)
        i++;
    if (i == state.name_count) {
        if (i == MAX_KERNELS)
            return true;
        state.names[i] = strdup(name);
        if (!state.names[i])
            return true;
        state.name_count++;
    }
    return state.counts[i]++ < state.each || state.each == 0;
}

/* The buffer's bytes into a file of their own; its name, or "-". */
static const char *keep_buffer(CUdeviceptr base, size_t size, char *name, size_t name_bytes)
{
    char path[PATH_BYTES];
    if (size > state.bytes)
        return "-";
    void *host = malloc(size);
    snprintf(name, name_bytes, "buffer%05u.bin", state.buffers);
    snprintf(path, sizeof path, "%s/%s", state.folder, name);
    FILE *file =
        host && state.cuda.copy_out(host, base, size) == CUDA_SUCCESS ? fopen(path, "wb") : NULL;
    bool kept = file && fwrite(host, 1, size, file) == size;
    if (file && fclose(file) != 0)
        kept = false;
    free(host);
    return kept ? name : "-";
}

static void write_pointer(size_t index, size_t at, CUdeviceptr pointer)
{
    unsigned type = 0;
    CUdeviceptr base;
    size_t size;
    char name[64];
    if (state.cuda.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) !=
            CUDA_SUCCESS ||
        type != CU_MEMORYTYPE_DEVICE ||
        state.cuda.address_range(&base, &size, pointer) != CUDA_SUCCESS)
        return;
    const char *file = keep_buffer(base, size, name, sizeof name);
    fprintf(state.out, "pointer %zu at %zu buffer %u plus %llu size %zu file %s\n", index, at,
            state.buffers, (unsigned long long)(pointer - base), size, file);
    state.buffers++;
}

/* A parameter as bytes, and each aligned word of it that is a device pointer. */
static void write_argument(size_t index, size_t offset, const unsigned char *bytes, size_t size)
{
    fprintf(state.out, "arg %zu offset %zu size %zu hex ", index, offset, size);
    for (size_t i = 0; i < size; i++)
        fprintf(state.out, "%02x", bytes[i]);
    fputc('\n', state.out);
    for (size_t at = 0; at + sizeof(CUdeviceptr) <= size; at += sizeof(CUdeviceptr)) {
        CUdeviceptr pointer;
        memcpy(&pointer, bytes + at, sizeof pointer);
        if (pointer)
            write_pointer(index, at, pointer);
    }
}

static void write_launch(CUkernel kernel, dim3 grid, dim3 block, void *const *arguments,
                         size_t shared)
{
    const char *name = NULL;
    if (state.cuda.get_name(&name, kernel) != CUDA_SUCCESS || !name) {
        give_up("a launch without a name: ", "cuKernelGetName failed");
        return;
    }
    if (!is_wanted(name))
        return;
    state.cuda.synchronize(); /* what earlier launches wrote is there */
    fprintf(state.out, "launch %s grid %u %u %u block %u %u %u shared %zu\n", name, grid.x, grid.y,
            grid.z, block.x, block.y, block.z, shared);
    size_t offset, size;
    for (size_t i = 0; arguments && state.cuda.get_param(kernel, i, &offset, &size) == CUDA_SUCCESS;
         i++)
        write_argument(i, offset, arguments[i], size);
    fflush(state.out);
}

static void record(CUkernel kernel, dim3 grid, dim3 block, void *const *arguments, size_t shared)
{
    pthread_mutex_lock(&state.lock);
    if (!state.started)
        start();
    if (!state.off)
        write_launch(kernel, grid, block, arguments, shared);
    pthread_mutex_unlock(&state.lock);
}

static void next_function(const char *name, void *into)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        fprintf(stderr,
                "bankwise-launches: error: no %s after this library: is the runtime linked "
                "statically?\n",
                name);
        abort();
    }
    memcpy(into, &symbol, sizeof symbol);
}

/* The runtime's own names, which nvcc's launch code calls; CUDA 13 passes the driver's kernel. */
typedef int (*launch_function)(CUkernel kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, CUstream stream);

int __cudaLaunchKernel(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                       CUstream stream);
int __cudaLaunchKernel_ptsz(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                            CUstream stream);

int __cudaLaunchKernel(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                       CUstream stream)
{
    launch_function next;
    next_function("__cudaLaunchKernel", &next);
    record(kernel, grid, block, arguments, shared);
    return next(kernel, grid, block, arguments, shared, stream);
}

int __cudaLaunchKernel_ptsz(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                            CUstream stream)
{
    launch_function next;
    next_function("__cudaLaunchKernel_ptsz", &next);
    record(kernel, grid, block, arguments, shared);
    return next(kernel, grid, block, arguments, shared, stream);
}

/* The same by the host's name of a kernel, as library code launches. */
static void record_symbol(const void *symbol, dim3 grid, dim3 block, void *const *arguments,
                          size_t shared)
{
    cudaError_t (*get_kernel)(cudaKernel_t * kernel, const void *symbol);
    cudaKernel_t kernel;
    next_function("cudaGetKernel", &get_kernel);
    if (get_kernel(&kernel, symbol) == cudaSuccess)
        record((CUkernel)kernel, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    cudaError_t (*next)(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared,
                        cudaStream_t stream);
    next_function("cudaLaunchKernel", &next);
    record_symbol(symbol, grid, block, arguments, shared);
    return next(symbol, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    cudaError_t (*next)(const void *symbol, dim3 grid, dim3 block, void **arguments, size_t shared,
                        cudaStream_t stream);
    next_function("cudaLaunchCooperativeKernel", &next);
    record_symbol(symbol, grid, block, arguments, shared);
    return next(symbol, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *symbol,
                                void **arguments)
{
    cudaError_t (*next)(const cudaLaunchConfig_t *config, const void *symbol, void **arguments);
    next_function("cudaLaunchKernelExC", &next);
    record_symbol(symbol, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
    return next(config, symbol, arguments);
}
