// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 9: structs
//
// An array of structs, a struct a lane, is a stride: the struct's size in words. 12 floats are
// 4-way, whichever member is read. One float more makes 13, and free.
//
// Question: a lane copies its whole struct, member after member. Does the order help?
// Answer: no. Each member is a request of its own, and each is 4-way: 12 requests, 48
// wavefronts.
//
// Exercise: cure it without padding, by turning the array of structs into arrays in a struct.

struct body {
    float position[3], velocity[3], force[3], mass, charge, radius;
};

struct padded_body {
    float position[3], velocity[3], force[3], mass, charge, radius;
    float unused;
};

__shared__ body a[32];
__shared__ padded_body b[32];
int t = threadIdx.x;

float mass = a[t].mass;                 // expect: 4-way, 4 wavefronts
float padded_mass = b[t].mass;          // expect: 1-way, 1 wavefronts
float sum = 0;
for (int i = 0; i < 3; i++)
    sum += a[t].position[i] + a[t].velocity[i] + a[t].force[i];     // expect: 4-way, 36 wavefronts, 27 excessive
sum += a[t].mass + a[t].charge + a[t].radius;                       // expect: 4-way, 12 wavefronts, 9 excessive
