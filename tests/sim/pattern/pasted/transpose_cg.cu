// The SDK's transpose kernels: a template switch, several kernels and an array of launches.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define TILE_DIM 16
#define BLOCK_ROWS 16

__global__ void copySharedMem(float *odata, float *idata, int width, int height)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float tile[1];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = xIndex + width * yIndex;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (xIndex < width && yIndex < height) tile[0] = idata[index];
    }
    cg::sync(cta);
    odata[index] = tile[0];
}

__global__ void transposeDiagonal(float *odata, float *idata, int width, int height)
{
    cg::thread_block cta = cg::this_thread_block();
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int blockIdx_x, blockIdx_y;
    if (width == height) {
        blockIdx_y = blockIdx.x;
        blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        blockIdx_y = bid % gridDim.y;
        blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
    }
    int xIndex = blockIdx_x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + (yIndex)*width;
    xIndex = blockIdx_y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + (yIndex)*height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];   // expect: 2-way
    }
    cg::sync(cta);
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i]; // expect: 2-way
    }
}

int main(int argc, char **argv)
{
    int size_x = 64, size_y = 64;
    void (*kernel)(float *, float *, int, int);
    dim3 grid(size_x / TILE_DIM, size_y / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
    for (int k = 0; k < 8; k++) {
        copySharedMem<<<grid, threads>>>(d_odata, d_idata, size_x, size_y);
        transposeDiagonal<<<grid, threads>>>(d_odata, d_idata, size_x, size_y);
    }
    free(h_idata);
    exit(EXIT_SUCCESS);
}
