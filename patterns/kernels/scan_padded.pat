// SPDX-License-Identifier: GPL-3.0-or-later
// title: Work-efficient scan (Blelloch), padded with CONFLICT_FREE_OFFSET
//
// The same scan with one word of padding after every 32, and a thread's two elements half a
// block apart. For 1024 elements nothing is left. With more, the padding itself repeats at the
// widest distances: 1024 elements have 32 words of padding, a whole row of banks.
// ZERO_BANK_CONFLICTS pads for those as well; its macro has the parentheses here that the widely
// copied one lacks.

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(n) \
    (((n) >> LOG_NUM_BANKS) + ((n) >> (2 * LOG_NUM_BANKS)))
#else
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#endif

__global__ void prescan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // allocated on invocation

    int thid = threadIdx.x;
    int offset = 1;

    int ai = thid;
    int bi = thid + (n / 2);
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai);
    int bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = g_idata[ai];           // expect: 1-way, 16 wavefronts
    temp[bi + bankOffsetB] = g_idata[bi];           // expect: 1-way, 16 wavefronts

    for (int d = n >> 1; d > 0; d >>= 1) { // build sum in place up the tree
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);

            temp[bi] += temp[ai];                   // expect: 1-way, 108 wavefronts
        }
        offset *= 2;
    }

    if (thid == 0) { temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0; }           // expect: 1-way

    for (int d = 1; d < n; d *= 2) { // traverse down tree & build scan
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);

            float t = temp[ai];                     // expect: 1-way, 36 wavefronts
            temp[ai] = temp[bi];                    // expect: 1-way, 72 wavefronts
            temp[bi] += t;                          // expect: 1-way, 72 wavefronts
        }
    }
    __syncthreads();
    g_odata[ai] = temp[ai + bankOffsetA];           // expect: 1-way, 16 wavefronts
    g_odata[bi] = temp[bi + bankOffsetB];           // expect: 1-way, 16 wavefronts
}

prescan<<<1, 512, (1024 + CONFLICT_FREE_OFFSET(1024)) * sizeof(float)>>>(g_odata, g_idata, 1024);
