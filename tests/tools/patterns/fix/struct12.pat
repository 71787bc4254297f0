// SPDX-License-Identifier: GPL-3.0-or-later
// title: a struct of 12 floats
struct body {
    float position[3], velocity[3], force[3], mass, charge, radius;
};

__shared__ body a[32];
float m = a[threadIdx.x].mass;
float x = a[threadIdx.x].position[0];
