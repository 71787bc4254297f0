// SPDX-License-Identifier: GPL-3.0-or-later
// title: a box of 64 halfs a row, as the bulk copy engine writes it
__shared__ __align__(1024) half box[64][64];
int t = threadIdx.x;
__ldmatrix_x4(&box[t % 16][t / 16 * 8]);
