// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 3: strides, and their greatest common divisor with 32
//
// Lane t reads word t * STRIDE. Bank numbers go up by STRIDE modulo 32, and come back to the
// first bank after 32 / gcd(STRIDE, 32) lanes: gcd(STRIDE, 32) lanes meet in each bank used. An
// odd stride has no factor in common with 32, so every odd stride is free.
//
// Question: which strides up to 64 are 4-way?
// Answer: those that 4 divides and 8 does not: 4, 12, 20, 28, 36 … See them all with
//     bankwise sweep lesson/03-strides-and-gcd -D STRIDE=1:64
//
// Exercise: a struct takes 24 bytes. How many ways is a member read by lane number, and which
// sizes near it are better?

const int STRIDE = 2;
__shared__ float s[2048];
float v = s[threadIdx.x * STRIDE];  // expect: 2-way, 2 wavefronts, 1 excessive
