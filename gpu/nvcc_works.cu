/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the build gives nvcc to see whether it compiles and links on this machine. */

#include <cuda_runtime.h>

int main(void)
{
    int devices;

    return cudaGetDeviceCount(&devices) == cudaSuccess ? 0 : 1;
}
