// SPDX-License-Identifier: GPL-3.0-or-later
// title: a flat tile whose index multiplies the row by a name, in dynamic shared memory
const int ROWS = 32, COLUMNS = 32;

__global__ void k(float *out, const float *in)
{
    extern __shared__ float buf[];
    const int t = threadIdx.x;
    for (int r = 0; r < ROWS; r++)
        buf[r * COLUMNS + t] = in[r * COLUMNS + t];
    __syncthreads();
    for (int c = 0; c < COLUMNS; c++)
        out[c * ROWS + t] = buf[t * COLUMNS + c];
}

k<<<1, 32, ROWS * COLUMNS * sizeof(float)>>>(out, in);
