// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 9: a struct of arrays
//
// Each member's array is read at stride 1.

struct bodies {
    float position[3][32], velocity[3][32], force[3][32], mass[32], charge[32], radius[32];
};

__shared__ bodies a;
int t = threadIdx.x;

float sum = 0;
for (int i = 0; i < 3; i++)
    sum += a.position[i][t] + a.velocity[i][t] + a.force[i][t];     // expect: 1-way, 9 wavefronts
sum += a.mass[t] + a.charge[t] + a.radius[t];                       // expect: 1-way, 3 wavefronts
