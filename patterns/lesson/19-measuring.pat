// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 19: measuring on a card, and why one warp misleads
//
// One warp alone waits for each load before it sees the next: the clock shows latency, about 4
// cycles an instruction at least and 2 a wavefront, so a 2-way conflict of 4-byte loads is
// invisible. With 16 warps on the SM the pipe is always busy, and the clock shows 1.00 cycle a
// wavefront. `bankwise measure` does it so: it takes the slope between two numbers of
// repetitions, so that start and end fall away.
//
// Question: 16 warps read 64 times with stride STRIDE. How many cycles does the pipe need?
// Answer: 16 * 64 requests of 2 wavefronts each: 2048. With STRIDE 1 and 3, half.
//
// Exercise: one warp makes 64 conflict-free 16-byte loads. How many cycles of the pipe?

const int STRIDE = 2;

__global__ void measured(float *out)
{
    __shared__ float s[512 * 4];
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += s[threadIdx.x % 32 * STRIDE + i];    // expect: 2-way, 2048 wavefronts, 2048 cycles
    out[threadIdx.x] = sum;
}

measured<<<1, 512>>>(out);
