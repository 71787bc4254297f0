// SPDX-License-Identifier: GPL-3.0-or-later
// title: Gathers through index arrays
//
// A lookup table in shared memory, indexed by what global memory holds. The comments say what that is:
// one array by a formula of the element's number, one by a table of values.
// assume: index = i * 7 % 1024
// assume: bank = 0, 4, 8, 12, 0, 4, 8, 12

enum { TABLE = 1024, PER_BANK = 32 };

__global__ void gather(float *__restrict__ out, const int *__restrict__ index, const int *__restrict__ bank)
{
    __shared__ float lut[TABLE];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
        lut[i] = 0.5f * i;                                      // expect: 1-way, 64 wavefronts
    __syncthreads();

    float v = lut[index[t]];                                    // expect: 1-way, 8 wavefronts
    v += lut[index[t] & ~31];                                   // expect: 7-way, 56 wavefronts, 48 excessive
    v += lut[bank[threadIdx.x & 7] + PER_BANK * (threadIdx.x & 7)];     // expect: 2-way, 16 wavefronts, 8 excessive
    out[t] = v;
}

gather<<<2, 128>>>(out, index, bank);
