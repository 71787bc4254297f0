// Tiled SGEMM with float4 loads, a transposed A tile and register blocking.
#include <stdio.h>
#include <stdlib.h>
#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4 *>(&(pointer))[0])
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

template <const int BLOCK_SIZE_M, const int BLOCK_SIZE_K, const int BLOCK_SIZE_N, const int TM, const int TN,
          const bool ENABLE_DOUBLE_BUFFER>
__global__ void Sgemm(float *__restrict__ A, float *__restrict__ B, float *__restrict__ C, const int M, const int N,
                      const int K)
{
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    const int THREAD_X_PER_BLOCK = BLOCK_SIZE_N / TN;
    const int THREAD_Y_PER_BLOCK = BLOCK_SIZE_M / TM;
    const int THREAD_NUM_PER_BLOCK = THREAD_X_PER_BLOCK * THREAD_Y_PER_BLOCK;
    const int tid = ty * THREAD_X_PER_BLOCK + tx;
    __shared__ float As[2][BLOCK_SIZE_K][BLOCK_SIZE_M];
    __shared__ float Bs[2][BLOCK_SIZE_K][BLOCK_SIZE_N];
    float accum[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j++) {
            accum[i][j] = 0.0;
        }
    }
    float frag_a[2][TM];
    float frag_b[2][TN];
    const int ldg_num_a = BLOCK_SIZE_M * BLOCK_SIZE_K / (THREAD_NUM_PER_BLOCK * 4);
    float ldg_a_reg[4 * ldg_num_a];
    const int A_TILE_THREAD_PER_ROW = BLOCK_SIZE_K / 4;
    const int B_TILE_THREAD_PER_ROW = BLOCK_SIZE_N / 4;
    const int A_TILE_ROW_START = tid / A_TILE_THREAD_PER_ROW, A_TILE_COL = tid % A_TILE_THREAD_PER_ROW * 4;
    const int B_TILE_ROW_START = tid / B_TILE_THREAD_PER_ROW, B_TILE_COL = tid % B_TILE_THREAD_PER_ROW * 4;
    const int A_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / A_TILE_THREAD_PER_ROW;
    const int B_TILE_ROW_STRIDE = THREAD_NUM_PER_BLOCK / B_TILE_THREAD_PER_ROW;
    A = &A[(BLOCK_SIZE_M * by) * K];
    B = &B[BLOCK_SIZE_N * bx];
    for (int i = 0; i < BLOCK_SIZE_M; i += A_TILE_ROW_STRIDE) {
        int ldg_index = i / A_TILE_ROW_STRIDE * 4;
        FETCH_FLOAT4(ldg_a_reg[ldg_index]) = FETCH_FLOAT4(A[OFFSET(A_TILE_ROW_START + i, A_TILE_COL, K)]);
        As[0][A_TILE_COL][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index];         // expect: 2-way
        As[0][A_TILE_COL + 1][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index + 1]; // expect: 2-way
        As[0][A_TILE_COL + 2][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index + 2];
        As[0][A_TILE_COL + 3][A_TILE_ROW_START + i] = ldg_a_reg[ldg_index + 3];
    }
    for (int i = 0; i < BLOCK_SIZE_K; i += B_TILE_ROW_STRIDE) {
        FETCH_FLOAT4(Bs[0][B_TILE_ROW_START + i][B_TILE_COL]) =
            FETCH_FLOAT4(B[OFFSET(B_TILE_ROW_START + i, B_TILE_COL, N)]);
    }
    __syncthreads();
    int write_stage_idx = 1, tile_idx = 0;
    do {
        tile_idx += BLOCK_SIZE_K;
        int load_stage_idx = write_stage_idx ^ 1;
#pragma unroll
        for (int j = 0; j < BLOCK_SIZE_K; ++j) {
            for (int thread_y = 0; thread_y < TM; thread_y += 4) {
                FETCH_FLOAT4(frag_a[j % 2][thread_y]) = FETCH_FLOAT4(As[load_stage_idx & 0][j][TM * ty + thread_y]);
            }
            for (int thread_x = 0; thread_x < TN; thread_x += 4) {
                FETCH_FLOAT4(frag_b[j % 2][thread_x]) = FETCH_FLOAT4(Bs[load_stage_idx & 0][j][TN * tx + thread_x]);
            }
            for (int thread_y = 0; thread_y < TM; ++thread_y)
                for (int thread_x = 0; thread_x < TN; ++thread_x)
                    accum[thread_y][thread_x] += frag_a[j % 2][thread_y] * frag_b[j % 2][thread_x];
        }
        if (tile_idx < K) write_stage_idx ^= 1;
    } while (tile_idx < K);
    C[OFFSET(BLOCK_SIZE_M * by + ty * TM, BLOCK_SIZE_N * bx + tx * TN, N)] = accum[0][0];
}

int main(int argc, char **argv)
{
    size_t M = 512, K = 16, N = 512;
    const int BLOCK_SIZE_M = 128, BLOCK_SIZE_K = 8, BLOCK_SIZE_N = 128;
    const int THREAD_SIZE_X = 8, THREAD_SIZE_Y = 8;
    dim3 dimBlock(BLOCK_SIZE_N / THREAD_SIZE_X, BLOCK_SIZE_M / THREAD_SIZE_Y);
    dim3 dimGrid(N / BLOCK_SIZE_N, M / BLOCK_SIZE_M);
    Sgemm<BLOCK_SIZE_M, BLOCK_SIZE_K, BLOCK_SIZE_N, THREAD_SIZE_Y, THREAD_SIZE_X, false>
        <<<dimGrid, dimBlock>>>(d_A, d_B, d_C, M, N, K);
}
