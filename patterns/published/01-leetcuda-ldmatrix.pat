// SPDX-License-Identifier: GPL-3.0-or-later
// title: ldmatrix from an unpadded half tile (LeetCUDA)
// source: LeetCUDA, kernels/swizzle: the profile of an m16n8k16 half matrix product (cc 8.9)
//
// Rows of s_a are 32 bytes, so the 8 rows of one matrix lie two to a 64-byte step and rows r and
// r+4 share their banks: 8 wavefronts for the four matrices where 4 would do. Rows of s_b are 16
// bytes, 8 of them fill the 32 banks exactly, and nothing is lost. Published: 2,097,152
// conflicts in all, from 8192 warps of 64 steps, 4 each. The fragments are loaded as there; the
// product is left out.

#define LDST128BITS(value) (reinterpret_cast<float4 *>(&(value))[0])
#define LDMATRIX_X4(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDMATRIX_X2_T(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(R0), "=r"(R1) : "r"(addr))

template <const int MMA_M = 16, const int MMA_N = 8, const int MMA_K = 16>
__global__ void fragments(half *A, half *B, uint32_t *C, int M, int N, int K)
{
    __shared__ half s_a[MMA_M][MMA_K];
    __shared__ half s_b[MMA_K][MMA_N];
    const int lane_id = threadIdx.x % 32;
    const int load_a_m = threadIdx.x / 2, load_a_k = (threadIdx.x % 2) * 8;
    const int row = blockIdx.y * MMA_M + load_a_m, col = blockIdx.x * MMA_N;
    uint32_t sum = 0;

    for (int k = 0; k < K / MMA_K; ++k) {
        LDST128BITS(s_a[load_a_m][load_a_k]) = LDST128BITS(A[row * K + k * MMA_K + load_a_k]);  // expect: conflict-free, 2097152 wavefronts
        if (lane_id < MMA_K)
            LDST128BITS(s_b[lane_id][0]) = LDST128BITS(B[(k * MMA_K + lane_id) * N + col]);     // expect: conflict-free, 1048576 wavefronts
        __syncthreads();

        uint32_t RA[4], RB[2];
        uint32_t a_ptr = __cvta_generic_to_shared(&s_a[lane_id % 16][(lane_id / 16) * 8]);
        LDMATRIX_X4(RA[0], RA[1], RA[2], RA[3], a_ptr);     // expect: 2-way, 4194304 wavefronts, 2097152 excessive
        uint32_t b_ptr = __cvta_generic_to_shared(&s_b[lane_id % 16][0]);
        LDMATRIX_X2_T(RB[0], RB[1], b_ptr);                 // expect: 1-way, 1048576 wavefronts, 0 excessive
        sum += RA[0] + RA[1] + RA[2] + RA[3] + RB[0] + RB[1];
        __syncthreads();
    }
    C[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + lane_id] = sum;
}

fragments<16, 8, 16><<<dim3(128, 64), 32>>>(A, B, C, 1024, 1024, 1024);
