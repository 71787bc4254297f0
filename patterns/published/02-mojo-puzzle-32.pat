// SPDX-License-Identifier: GPL-3.0-or-later
// title: Two floats a thread apart: 512 conflicts, or none (mojo-gpu-puzzles 32)
// source: mojo-gpu-puzzles, puzzle 32, profiled on a B200
//
// 256 warps (32 blocks of 256 threads) store once and load once. At stride 2 lanes t and t+16
// share a bank: one conflict a request, 256 for the stores and 256 for the loads. At stride 1
// there is none.

const int TPB = 256;

__global__ void two_way_conflict(float *output, const float *input)
{
    __shared__ float shared_buf[2 * TPB];
    int local_i = threadIdx.x, global_i = blockDim.x * blockIdx.x + threadIdx.x;
    shared_buf[2 * local_i] = input[global_i] + 10.0f;      // expect: 2-way, 512 wavefronts, 256 excessive
    __syncthreads();
    output[global_i] = shared_buf[2 * local_i] * 2.0f;      // expect: 2-way, 512 wavefronts, 256 excessive
}

__global__ void no_conflict(float *output, const float *input)
{
    __shared__ float shared_buf[TPB];
    int local_i = threadIdx.x, global_i = blockDim.x * blockIdx.x + threadIdx.x;
    shared_buf[local_i] = input[global_i] + 10.0f;          // expect: 1-way, 256 wavefronts, 0 excessive
    __syncthreads();
    output[global_i] = shared_buf[local_i] * 2.0f;          // expect: 1-way, 256 wavefronts, 0 excessive
}

two_way_conflict<<<32, 256>>>(output, input);
no_conflict<<<32, 256>>>(output, input);
