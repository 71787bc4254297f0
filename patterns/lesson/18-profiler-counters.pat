// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 18: what the profiler's counters mean
//
// Nsight Compute has several counters for one thing. `bankwise predict --metrics ncu` shows them
// beside the prediction.
//   l1tex__data_pipe_lsu_wavefronts_mem_shared.sum: the wavefronts, counted by the hardware. A launch
//     adds 1 to 5 for each warp, and global memory traffic adds noise.
//   l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum: wavefronts less the ideal ones. In real kernels
//     it also counts arbitration that has nothing to do with banks: "conflicts" where there are none.
//   memory_l1_wavefronts_shared (Source page): computed from addresses by the tool, not counted.
//
// Question: 8 warps store a 32 x 32 tile by rows and read it by columns. What do the first two
// show?
// Answer: 32 + 1024 wavefronts (and what the launch adds), and 31 * 32 = 992 conflicts.
//
// Question: can the tool's own arithmetic be wrong?
// Answer: yes. In the request at the end, 7 lanes load one float4. The lanes sit so that no pair
// meets or differs, so the load merges into two halves, and both have lanes: 2 wavefronts by the
// hardware's counter. The Source page says 1.
//
// Exercise: which number tells you how much time padding would save?

__shared__ float tile[32][32];
__shared__ float4 q[8];
int t = threadIdx.x;

for (int r = 0; r < 32; r++)
    tile[r][t] = 1.0f;              // expect: 1-way, 32 wavefronts, 0 excessive
for (int c = 0; c < 32; c++)
    float v = tile[t][c];           // expect: 32-way, 1024 wavefronts, 992 excessive

if (0x80484448u >> t & 1)
    float4 w = q[0];                // expect: 1-way, 2 wavefronts
