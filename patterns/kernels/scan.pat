// SPDX-License-Identifier: GPL-3.0-or-later
// title: Work-efficient scan (Blelloch), without padding
//
// A block of 512 threads scans 1024 elements in place: up the tree in sums, down in partial
// sums. At distance d the threads touch every 2d-th word, so the conflict doubles with each
// level: a power-of-two trap in the loop variable. The first load and the last store are 2-way
// already, since a thread owns two neighbours.

__global__ void prescan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // allocated on invocation

    int thid = threadIdx.x;
    int offset = 1;

    temp[2 * thid] = g_idata[2 * thid]; // load input into shared memory        // expect: 2-way, 32 wavefronts, 16 excessive
    temp[2 * thid + 1] = g_idata[2 * thid + 1];     // expect: 2-way, 32 wavefronts, 16 excessive

    for (int d = n >> 1; d > 0; d >>= 1) { // build sum in place up the tree
        __syncthreads();

        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;

            temp[bi] += temp[ai];                   // expect: 32-way, 573 wavefronts, 465 excessive
        }
        offset *= 2;
    }

    if (thid == 0) { temp[n - 1] = 0; } // clear the last element               // expect: 1-way

    for (int d = 1; d < n; d *= 2) { // traverse down tree & build scan
        offset >>= 1;
        __syncthreads();

        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;

            float t = temp[ai];                     // expect: 32-way, 191 wavefronts, 155 excessive
            temp[ai] = temp[bi];                    // expect: 32-way, 382 wavefronts, 310 excessive
            temp[bi] += t;                          // expect: 32-way, 382 wavefronts, 310 excessive
        }
    }

    __syncthreads();

    g_odata[2 * thid] = temp[2 * thid]; // write results to device memory       // expect: 2-way, 32 wavefronts, 16 excessive
    g_odata[2 * thid + 1] = temp[2 * thid + 1];     // expect: 2-way, 32 wavefronts, 16 excessive
}

prescan<<<1, 512, 1024 * sizeof(float)>>>(g_odata, g_idata, 1024);
