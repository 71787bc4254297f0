// SPDX-License-Identifier: GPL-3.0-or-later
// title: Attention, one query row a thread, tiles of keys and values in shared memory
//
// The plainest tiled attention: a block of 32 threads keeps tiles of Q, K and V and a tile of scores.
// K and V are read by broadcast, free; but each thread walks its own row of Q and S, d = 64 and Bc = 32
// words apart: 32-way, in the innermost loop. Storing the tiles is as bad. Rows of d + 1 and Bc + 1
// words would free all of it.

__global__ void forward_kernel(const float *Q, const float *K, const float *V, const int N, const int d,
                               const int Tc, const int Tr, const int Bc, const int Br,
                               const float softmax_scale, float *l, float *m, float *O)
{
    int tx = threadIdx.x;
    int bx = blockIdx.x; int by = blockIdx.y; // batch and head index

    // Offset into Q,K,V,O,l,m - different for each batch and head
    int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d); // gridDim.y = nh
    int lm_offset = (bx * gridDim.y * N) + (by * N);          // offset for l and m

    // Define SRAM for Q,K,V,S
    extern __shared__ float sram[];
    int tile_size = Bc * d; // size of Qi, Kj, Vj
    float *Qi = sram;
    float *Kj = &sram[tile_size];
    float *Vj = &sram[tile_size * 2];
    float *S = &sram[tile_size * 3];

    for (int j = 0; j < Tc; j++) {
        // Load Kj, Vj to SRAM
        for (int x = 0; x < d; x++) {
            Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];  // expect: 32-way, 8192 wavefronts, 7936 excessive
            Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];  // expect: 32-way, 8192 wavefronts, 7936 excessive
        }
        __syncthreads(); // such that the inner loop can use the correct Kj, Vj

        for (int i = 0; i < Tr; i++) {
            // Load Qi to SRAM, l and m to registers
            for (int x = 0; x < d; x++) {
                Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];  // expect: 32-way, 16384 wavefronts, 15872 excessive
            }
            float row_m_prev = m[lm_offset + (Br * i) + tx];
            float row_l_prev = l[lm_offset + (Br * i) + tx];

            // S = QK^T, row_m = rowmax(S)
            float row_m = -INFINITY;
            for (int y = 0; y < Bc; y++) {
                float sum = 0;
                for (int x = 0; x < d; x++) {
                    sum += Qi[(tx * d) + x] * Kj[(y * d) + x];  // expect: 32-way, 540672 wavefronts, 507904 excessive
                }
                sum *= softmax_scale;
                S[(Bc * tx) + y] = sum;                         // expect: 32-way, 8192 wavefronts, 7936 excessive

                if (sum > row_m)
                    row_m = sum;
            }

            // P = exp(S - row_m), row_l = rowsum(P)
            float row_l = 0;
            for (int y = 0; y < Bc; y++) {
                S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);    // expect: 32-way, 16384 wavefronts, 15872 excessive
                row_l += S[(Bc * tx) + y];                      // expect: 32-way, 8192 wavefronts, 7936 excessive
            }

            // Compute new m and l
            float row_m_new = max(row_m_prev, row_m);
            float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);

            // Write O, l, m to HBM
            for (int x = 0; x < d; x++) {
                float pv = 0; // Pij * Vj
                for (int y = 0; y < Bc; y++) {
                    pv += S[(Bc * tx) + y] * Vj[(y * d) + x];   // expect: 32-way, 540672 wavefronts, 507904 excessive
                }
                O[qkv_offset + (tile_size * i) + (tx * d) + x] = (1 / row_l_new) *
                    ((row_l_prev * __expf(row_m_prev - row_m_new) * O[qkv_offset + (tile_size * i) + (tx * d) + x]) +
                     (__expf(row_m - row_m_new) * pv));
            }
            m[lm_offset + (Br * i) + tx] = row_m_new;
            l[lm_offset + (Br * i) + tx] = row_l_new;
        }
        __syncthreads(); // otherwise, thread can use the wrong Kj, Vj in inner loop
    }
}

forward_kernel<<<dim3(1, 2), 32, (3 * 32 * 64 + 32 * 32) * sizeof(float)>>>(Q, K, V, 64, 64, 2, 2, 32, 32, 0.125f, l, m, O);
