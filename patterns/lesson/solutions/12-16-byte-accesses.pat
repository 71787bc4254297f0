// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 12: a column of float4 tile[32][2]
//
// 32 bytes between lanes: the 8 lanes of a quarter need 256 bytes' worth of banks, so they go
// round twice: 2-way, 8 wavefronts. One float4 of padding makes it 48 bytes, three places on:
// free.

__shared__ float4 tile[32][2];
__shared__ float4 padded[32][3];

float4 column = tile[threadIdx.x][0];           // expect: 2-way, 8 wavefronts
float4 free_column = padded[threadIdx.x][0];    // expect: 1-way, 4 wavefronts
