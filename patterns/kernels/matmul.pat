// SPDX-License-Identifier: GPL-3.0-or-later
// title: Matrix product with float4 loads and register blocking
//
// 256 threads, a 128 x 128 tile of C, 8 x 8 results a thread. A is stored transposed, so that
// both fragments are read along rows. The transposed store is 2-way: two groups of columns, 4 x
// 128 words apart. The fragment reads are scalar as written: of As a warp reads 2 words, by
// broadcast; of Bs 16 words, 8 apart, which lie in 4 banks: 4-way, and most of the cost.

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemmVectorize(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    const uint cRow = blockIdx.y;
    const uint cCol = blockIdx.x;

    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);

    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];

    // Move blocktile to beginning of A's row and B's column
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;

    // calculating the indices that this thread will load into SMEM
    const uint innerRowA = threadIdx.x / (BK / 4);
    const uint innerColA = threadIdx.x % (BK / 4);
    const uint innerRowB = threadIdx.x / (BN / 4);
    const uint innerColB = threadIdx.x % (BN / 4);

    float threadResults[TM * TN] = {0.0};
    float regM[TM] = {0.0};
    float regN[TN] = {0.0};

    for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
        // transpose A while loading it
        float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
        As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;       // expect: 2-way, 128 wavefronts, 64 excessive
        As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;       // expect: 2-way, 128 wavefronts, 64 excessive
        As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;       // expect: 2-way, 128 wavefronts, 64 excessive
        As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;       // expect: 2-way, 128 wavefronts, 64 excessive

        reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =    // expect: 1-way, 256 wavefronts
            reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
        __syncthreads();

        A += BK;     // move BK columns to right
        B += BK * N; // move BK rows down

        for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
            for (uint i = 0; i < TM; ++i) {
                regM[i] = As[dotIdx * BM + threadRow * TM + i]; // expect: 1-way, 4096 wavefronts
            }
            for (uint i = 0; i < TN; ++i) {
                regN[i] = Bs[dotIdx * BN + threadCol * TN + i]; // expect: 4-way, 16384 wavefronts, 12288 excessive
            }
            for (uint resIdxM = 0; resIdxM < TM; ++resIdxM) {
                for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) {
                    threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
                }
            }
        }
        __syncthreads();
    }

    for (uint resIdxM = 0; resIdxM < TM; resIdxM += 1) {
        for (uint resIdxN = 0; resIdxN < TN; resIdxN += 4) {
            float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0];
            tmp.x = alpha * threadResults[resIdxM * TN + resIdxN] + beta * tmp.x;
            tmp.y = alpha * threadResults[resIdxM * TN + resIdxN + 1] + beta * tmp.y;
            tmp.z = alpha * threadResults[resIdxM * TN + resIdxN + 2] + beta * tmp.z;
            tmp.w = alpha * threadResults[resIdxM * TN + resIdxN + 3] + beta * tmp.w;
            reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0] = tmp;
        }
    }
}

sgemmVectorize<128, 128, 8, 8, 8><<<dim3(1, 1), dim3(256)>>>(128, 128, 64, 1.0f, A, B, 0.0f, C);
