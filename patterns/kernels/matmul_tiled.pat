// SPDX-License-Identifier: GPL-3.0-or-later
// title: Tiled matrix product, one element a thread
//
// The tiled product of the textbooks: a 32 x 32 block loads a tile of A and of B, row by row,
// and multiplies. As is read by broadcast (a warp is one row of threads), Bs along a row: no
// conflicts.

template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB)
{
    int bx = blockIdx.x;
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    int aBegin = wA * BLOCK_SIZE * by;
    int aEnd = aBegin + wA - 1;
    int aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx;
    int bStep = BLOCK_SIZE * wB;
    float Csub = 0;

    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];

        As[ty][tx] = A[a + wA * ty + tx];   // expect: 1-way, 256 wavefronts
        Bs[ty][tx] = B[b + wB * ty + tx];   // expect: 1-way, 256 wavefronts
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k) {
            Csub += As[ty][k] * Bs[k][tx];  // expect: 1-way, 16384 wavefronts
        }
        __syncthreads();
    }

    int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
    C[c + wB * ty + tx] = Csub;
}

MatrixMulCUDA<32><<<dim3(2, 2), dim3(32, 32)>>>(C, A, B, 64, 64);
