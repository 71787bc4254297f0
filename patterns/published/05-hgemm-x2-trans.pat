// SPDX-License-Identifier: GPL-3.0-or-later
// title: ldmatrix.x2.trans over rows of 32 bytes (cuda_hgemm, issue 4)
// source: cuda_hgemm, issue 4
//
// Only lanes 0 to 15 give row addresses of an x2. Rows 32 bytes apart repeat their banks every 4
// rows, so each of the two matrices takes 2 wavefronts: 4 where 2 would do. That the loaded
// matrix is transposed makes no difference to the banks.

__shared__ half smem[16][16];

uint32_t r0, r1;
uint32_t addr = __cvta_generic_to_shared(&smem[threadIdx.x % 16][0]);
asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(r0), "=r"(r1) : "r"(addr));  // expect: 2-way, 4 wavefronts, 2 excessive
