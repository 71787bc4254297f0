/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with three launches of one kernel and one of another, for the test of
 * bankwise-launches.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct shape {
    unsigned x, y, z;
} shape;

int __cudaLaunchKernel(void *kernel, shape grid, shape block, void **arguments, size_t shared,
                       void *stream);
int cudaLaunchKernel(const void *symbol, shape grid, shape block, void **arguments, size_t shared,
                     void *stream);

int main(void)
{
    uint64_t pointer = UINT64_C(0x7f0000001010);
    int n = 4096, flag = -1;
    void *arguments[] = {&pointer, &n, &flag};
    for (int i = 0; i < 3; i++)
        __cudaLaunchKernel((void *)1, (shape){4, 2, 1}, (shape){32, 8, 1}, arguments, 512, NULL);
    return cudaLaunchKernel((void *)2, (shape){1, 1, 1}, (shape){64, 1, 1}, NULL, 0, NULL);
}
