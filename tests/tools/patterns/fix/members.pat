// SPDX-License-Identifier: GPL-3.0-or-later
// title: holes in a struct: 32 bytes that could be 24
struct item {
    char tag;
    double value;
    char flag;  // last
    double weight;
};

__shared__ item items[32];
items[threadIdx.x].value = 1.0;
