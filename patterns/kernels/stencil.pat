// SPDX-License-Identifier: GPL-3.0-or-later
// title: 1D stencil with a halo, and a 2D five-point stencil
//
// In one dimension lanes read neighbours at every offset: free, also where a warp's words begin
// in the middle of a row of banks. In two dimensions with 16 x 16 blocks a warp spans two rows
// of an 18-word tile: two words of the second row fall into banks of the first, and every access
// of a full warp is 2-way. A block 32 wide would be free, and so would a row pitch of 48 words
// (32k + 16).

#define RADIUS 3
#define BLOCK_SIZE 256

__global__ void stencil_1d(const int *in, int *out)
{
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;

    // Read input elements into shared memory
    temp[lindex] = in[gindex];                                  // expect: 1-way, 16 wavefronts
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];            // expect: 1-way, 2 wavefronts
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];    // expect: 1-way, 2 wavefronts
    }
    __syncthreads();

    // Apply the stencil
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];                        // expect: 1-way, 112 wavefronts

    out[gindex] = result;
}

#define TILE_W 16
#define TILE_H 16

__global__ void stencil_2d(const float *__restrict__ in, float *__restrict__ out, int width, int height)
{
    __shared__ float tile[TILE_H + 2][TILE_W + 2];
    const int x = blockIdx.x * TILE_W + threadIdx.x, y = blockIdx.y * TILE_H + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x >= width || y >= height) return;

    tile[ty][tx] = in[y * width + x];                                                       // expect: 2-way, 64 wavefronts, 32 excessive
    if (threadIdx.x == 0) tile[ty][0] = x > 0 ? in[y * width + x - 1] : 0.f;                // expect: 1-way, 32 wavefronts
    if (threadIdx.x == TILE_W - 1) tile[ty][TILE_W + 1] = x < width - 1 ? in[y * width + x + 1] : 0.f;     // expect: 1-way, 32 wavefronts
    if (threadIdx.y == 0) tile[0][tx] = y > 0 ? in[(y - 1) * width + x] : 0.f;              // expect: 1-way, 4 wavefronts
    if (threadIdx.y == TILE_H - 1) tile[TILE_H + 1][tx] = y < height - 1 ? in[(y + 1) * width + x] : 0.f;  // expect: 1-way, 4 wavefronts
    __syncthreads();

    out[y * width + x] = 0.2f * (tile[ty][tx] + tile[ty - 1][tx] + tile[ty + 1][tx] +       // expect: 2-way, 192 wavefronts, 96 excessive
                                 tile[ty][tx - 1] + tile[ty][tx + 1]);                      // expect: 2-way, 128 wavefronts, 64 excessive
}

stencil_1d<<<2, BLOCK_SIZE>>>(in, out);
stencil_2d<<<dim3(2, 2), dim3(TILE_W, TILE_H)>>>(in, out, 32, 32);
