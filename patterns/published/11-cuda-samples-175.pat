// SPDX-License-Identifier: GPL-3.0-or-later
// title: "transposeNoBankConflicts" that has them (cuda-samples, issue 175)
// source: cuda-samples, 6_Performance/transpose, issue 175
//
// With 16 x 16 tiles a warp covers two rows, and [16][17] was made for one: the second row
// starts 17 words after the first, so its last word falls into the first word's bank. By column
// it is the same. Unpadded rows of 16 would store freely, rows of 18 would load freely, and no
// padding does both: use a tile of 32 x 33 and a block 32 wide.

#define TILE_DIM 16
#define BLOCK_ROWS 16

__global__ void transposeNoBankConflicts(float *odata, float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + (yIndex)*width;

    xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + (yIndex)*height;

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];   // expect: 2-way, 16 wavefronts, 8 excessive
    }

    __syncthreads();

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i]; // expect: 2-way, 16 wavefronts, 8 excessive
    }
}

transposeNoBankConflicts<<<dim3(1, 1), dim3(TILE_DIM, BLOCK_ROWS)>>>(odata, idata, 1024, 1024);
