/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CUDA driver and runtime for the test of bankwise-launches: one kernel "_Z5probePfii" with three
 * parameters, and one buffer of device memory, which is host memory.
 *
 * Compiled as libcuda.so.1 and as the runtime; both have all functions. Declared by hand, so that
 * the test's own idea of the interfaces is held against the headers that launches.c includes.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct shape {
    unsigned x, y, z;
} shape;

enum { DEVICE_MEMORY = 2, INVALID_VALUE = 1 };

#define BUFFER_BYTES 64
#define BUFFER UINT64_C(0x7f0000001000)

int cuKernelGetName(const char **name, void *kernel);
int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size);
int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t pointer);
int cuMemcpyDtoH_v2(void *host, uint64_t device, size_t bytes);
int cuCtxSynchronize(void);
int __cudaLaunchKernel(void *kernel, shape grid, shape block, void **arguments, size_t shared,
                       void *stream);
int cudaGetKernel(void **kernel, const void *symbol);
int cudaLaunchKernel(const void *symbol, shape grid, shape block, void **arguments, size_t shared,
                     void *stream);

int cuKernelGetName(const char **name, void *kernel)
{
    *name = kernel == (void *)1 ? "_Z5probePfii" : "other";
    return 0;
}

int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size)
{
    static const size_t offsets[] = {0, 8, 12}, sizes[] = {8, 4, 4};
    if (kernel != (void *)1 || index >= 3)
        return INVALID_VALUE;
    *offset = offsets[index];
    *size = sizes[index];
    return 0;
}

int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer)
{
    if (attribute != 2 || pointer < BUFFER || pointer >= BUFFER + BUFFER_BYTES)
        return INVALID_VALUE;
    *(unsigned *)data = DEVICE_MEMORY;
    return 0;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t pointer)
{
    (void)pointer;
    *base = BUFFER;
    *size = BUFFER_BYTES;
    return 0;
}

int cuMemcpyDtoH_v2(void *host, uint64_t device, size_t bytes)
{
    if (device != BUFFER || bytes != BUFFER_BYTES)
        return INVALID_VALUE;
    memset(host, 'b', bytes);
    return 0;
}

int cuCtxSynchronize(void)
{
    return 0;
}

int __cudaLaunchKernel(void *kernel, shape grid, shape block, void **arguments, size_t shared,
                       void *stream)
{
    (void)arguments;
    (void)stream;
    printf("launched %d: %u %u %u, %u %u %u, %zu\n", kernel == (void *)1, grid.x, grid.y, grid.z,
           block.x, block.y, block.z, shared);
    return 0;
}

int cudaGetKernel(void **kernel, const void *symbol)
{
    *kernel = (void *)(uintptr_t)symbol;
    return 0;
}

int cudaLaunchKernel(const void *symbol, shape grid, shape block, void **arguments, size_t shared,
                     void *stream)
{
    return __cudaLaunchKernel((void *)(uintptr_t)symbol, grid, block, arguments, shared, stream);
}
