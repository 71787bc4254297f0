// SPDX-License-Identifier: GPL-3.0-or-later
// title: a tile of floats, stored by rows and read by columns of float4: pad 1 breaks the alignment
const int N = 32;

__global__ void k(float4 *out, const float *in)
{
    __shared__ __align__(16) float tile[N][N];
    for (int j = 0; j < N; j++)
        tile[j][threadIdx.x] = in[j * N + threadIdx.x];
    __syncthreads();
    for (int c = 0; c < N; c += 4)
        out[c] = *(float4 *)&tile[threadIdx.x][c];
}

k<<<1, 32>>>(out, in);
