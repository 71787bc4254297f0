// SPDX-License-Identifier: GPL-3.0-or-later
// title: ldmatrix fragments with cp.async, plain and XOR-swizzled
//
// A 128 x 64 half tile, 128 bytes a row, is filled by 16-byte asynchronous copies and read by
// ldmatrix.x4. Plain, the 8 rows of a matrix start 128 bytes apart, in the same four banks: 8
// times the wavefronts. Swizzled, the 16-byte chunk c of row r lies at chunk c ^ (r % 8): the
// eight rows of a matrix fall into eight different chunks. The copy uses the same map and keeps
// its rows.

#define CP_ASYNC_CG(dst, src, Bytes) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(dst), "l"(src), "n"(Bytes))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(N) asm volatile("cp.async.wait_group %0;\n" ::"n"(N))

constexpr int BM = 128, BK = 64;    // halfs
constexpr int CHUNK = 8;            // halfs in 16 bytes

#define LDMATRIX_X4(R0, R1, R2, R3, addr)                                                   \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"      \
                 : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))

__global__ void fragments_plain(const half *A, uint32_t *out)
{
    __shared__ __align__(128) half smem[BM * BK];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;

#pragma unroll
    for (int i = 0; i < BM * BK / CHUNK / 128; i++) {
        int row = (i * 128 + tid) / (BK / CHUNK), col = (i * 128 + tid) % (BK / CHUNK);
        uint32_t dst = static_cast<uint32_t>(__cvta_generic_to_shared(&smem[row * BK + col * CHUNK]));
        CP_ASYNC_CG(dst, &A[row * BK + col * CHUNK], 16);               // expect: 1-way
    }
    CP_ASYNC_COMMIT_GROUP();
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();

    uint32_t sum = 0, r0, r1, r2, r3;
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        int row = warp * 32 + lane % 16, col = k * 2 + lane / 16;
        uint32_t src = static_cast<uint32_t>(__cvta_generic_to_shared(&smem[row * BK + col * CHUNK]));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(src));  // expect: 8-way, 512 wavefronts, 448 excessive
        sum += r0 + r1 + r2 + r3;
    }
    out[tid] = sum;
}

__global__ void fragments_swizzled(const half *A, uint32_t *out)
{
    __shared__ __align__(128) half smem[BM * BK];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;

#pragma unroll
    for (int i = 0; i < BM * BK / CHUNK / 128; i++) {
        int row = (i * 128 + tid) / (BK / CHUNK), col = (i * 128 + tid) % (BK / CHUNK);
        uint32_t dst = static_cast<uint32_t>(__cvta_generic_to_shared(&smem[row * BK + (col ^ (row & 7)) * CHUNK]));
        CP_ASYNC_CG(dst, &A[row * BK + col * CHUNK], 16);               // expect: 1-way
    }
    CP_ASYNC_COMMIT_GROUP();
    CP_ASYNC_WAIT_GROUP(0);
    __syncthreads();

    uint32_t sum = 0, r0, r1, r2, r3;
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        int row = warp * 32 + lane % 16, col = k * 2 + lane / 16;
        uint32_t src = static_cast<uint32_t>(__cvta_generic_to_shared(&smem[row * BK + (col ^ (row & 7)) * CHUNK]));
        LDMATRIX_X4(r0, r1, r2, r3, src);    // expect: 1-way, 64 wavefronts
        sum += r0 + r1 + r2 + r3;
    }
    out[tid] = sum;
}

fragments_plain<<<1, 128>>>(A, out);
fragments_swizzled<<<1, 128>>>(A, out);
