// SPDX-License-Identifier: GPL-3.0-or-later
// title: Storing the transposed A tile (SGEMM_CUDA, issue 8)
// source: SGEMM_CUDA, issue 8: vectorised loads of A, scattered into a transposed tile
//
// A thread loads four floats of a row of A and stores them into a column of As, whose rows are
// 128 words: threads of different column groups (c) meet in one bank. BK 8 has 2 groups, BK 16
// has 4. A row of 130 words sets the groups 8 banks apart, which is just the room that 8 rows of
// r need.

const int BM = 128;

__global__ void bk8(const float *A)
{
    __shared__ float As[8 * BM];
    int c = threadIdx.x % 2, r = threadIdx.x / 2;
    float4 tmp = reinterpret_cast<const float4 *>(&A[r * 8 + c * 4])[0];
    As[(c * 4 + 0) * BM + r] = tmp.x;   // expect: 2-way, 16 wavefronts, 8 excessive
    As[(c * 4 + 1) * BM + r] = tmp.y;   // expect: 2-way, 16 wavefronts, 8 excessive
    As[(c * 4 + 2) * BM + r] = tmp.z;   // expect: 2-way, 16 wavefronts, 8 excessive
    As[(c * 4 + 3) * BM + r] = tmp.w;   // expect: 2-way, 16 wavefronts, 8 excessive
}

__global__ void bk16(const float *A)
{
    __shared__ float As[16 * BM];
    int c = threadIdx.x % 4, r = threadIdx.x / 4;
    float4 tmp = reinterpret_cast<const float4 *>(&A[r * 16 + c * 4])[0];
    As[(c * 4 + 0) * BM + r] = tmp.x;   // expect: 4-way, 32 wavefronts, 24 excessive
    As[(c * 4 + 1) * BM + r] = tmp.y;   // expect: 4-way, 32 wavefronts, 24 excessive
    As[(c * 4 + 2) * BM + r] = tmp.z;   // expect: 4-way, 32 wavefronts, 24 excessive
    As[(c * 4 + 3) * BM + r] = tmp.w;   // expect: 4-way, 32 wavefronts, 24 excessive
}

__global__ void bk16_padded(const float *A)
{
    const int STRIDE = BM + 2;
    __shared__ float As[16 * STRIDE];
    int c = threadIdx.x % 4, r = threadIdx.x / 4;
    float4 tmp = reinterpret_cast<const float4 *>(&A[r * 16 + c * 4])[0];
    As[(c * 4 + 0) * STRIDE + r] = tmp.x;   // expect: 1-way, 8 wavefronts, 0 excessive
    As[(c * 4 + 1) * STRIDE + r] = tmp.y;   // expect: 1-way, 8 wavefronts, 0 excessive
    As[(c * 4 + 2) * STRIDE + r] = tmp.z;   // expect: 1-way, 8 wavefronts, 0 excessive
    As[(c * 4 + 3) * STRIDE + r] = tmp.w;   // expect: 1-way, 8 wavefronts, 0 excessive
}

bk8<<<1, 256>>>(A);
bk16<<<1, 256>>>(A);
bk16_padded<<<1, 256>>>(A);
