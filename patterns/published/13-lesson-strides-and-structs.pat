// SPDX-License-Identifier: GPL-3.0-or-later
// title: Strides 2, 3, 12 and 13, and a struct of 12 floats
// source: the lesson this project started from, second part
//
// gcd(stride, 32) decides: 2 -> 2-way, 3 -> free, 12 -> 4-way, 13 -> free. An array of structs
// is a stride: 12 floats a struct is 12 words, one more float of padding makes it 13.

struct particle {
    float position[3], velocity[3], force[3], mass, charge, radius;
};

struct padded_particle {
    float position[3], velocity[3], force[3], mass, charge, radius;
    float pad;
};

__shared__ float s[512];
__shared__ particle p[32];
__shared__ padded_particle q[32];

int t = threadIdx.x;
float two = s[2 * t];           // expect: 2-way
float three = s[3 * t];         // expect: 1-way
float twelve = s[12 * t];       // expect: 4-way
float thirteen = s[13 * t];     // expect: 1-way
float m = p[t].mass;            // expect: 4-way
float n = q[t].mass;            // expect: 1-way
