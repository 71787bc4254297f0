// SPDX-License-Identifier: GPL-3.0-or-later
// title: Sobel filter on a tile of bytes
//
// Neighbouring bytes share words, so a row of 32 pixels is 8 or 9 words and always free. The halo's
// columns are read and stored by few lanes. Rows are 34 bytes, so they start in the middle of words;
// bytes do not mind.

#define BLOCK_W 32
#define BLOCK_H 16

typedef unsigned char uchar;

__device__ __forceinline__ int clamp(int v, int lo, int hi)
{
    return max(lo, min(v, hi));
}

__global__ void sobel(uchar *out, const uchar *in, int width, int height)
{
    __shared__ uchar tile[BLOCK_H + 2][BLOCK_W + 2];
    const int x0 = blockIdx.x * BLOCK_W - 1, y0 = blockIdx.y * BLOCK_H - 1;

    for (int y = threadIdx.y; y < BLOCK_H + 2; y += BLOCK_H)
        for (int x = threadIdx.x; x < BLOCK_W + 2; x += BLOCK_W)
            tile[y][x] = in[clamp(y0 + y, 0, height - 1) * width + clamp(x0 + x, 0, width - 1)];    // expect: 1-way, 144 wavefronts
    __syncthreads();

    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] -             // expect: 1-way, 192 wavefronts
                   tile[ty - 1][tx - 1] - 2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];              // expect: 1-way, 192 wavefronts
    const int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] -             // expect: 1-way, 192 wavefronts
                   tile[ty - 1][tx - 1] - 2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];              // expect: 1-way, 192 wavefronts
    out[(y0 + ty) * width + x0 + tx] = (uchar)min(abs(gx) + abs(gy), 255);
}

sobel<<<dim3(2, 2), dim3(BLOCK_W, BLOCK_H)>>>(out, in, 64, 32);
