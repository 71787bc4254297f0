// SPDX-License-Identifier: GPL-3.0-or-later
// title: Radix-2 FFT of 512 points in shared memory
//
// 256 threads, two points each. The bit-reversed store is the worst line: neighbours go to places
// far apart, in steps of powers of two, 16 lanes of a half-warp into one pair of banks. Then
// butterflies at distances 1 to 256: below 16 the first points of a half-warp are spread over 32
// places, two rounds of the banks, and so are the second points: 2-way.

#define N 512
#define LOG_N 9

__global__ void fft_radix2(float2 *data)
{
    __shared__ float2 s[N];
    const int t = threadIdx.x;

    s[__brev(t) >> (32 - LOG_N)] = data[t];                     // expect: 16-way, 256 wavefronts, 240 excessive
    s[__brev(t + N / 2) >> (32 - LOG_N)] = data[t + N / 2];     // expect: 16-way, 256 wavefronts, 240 excessive
    __syncthreads();

    for (int half = 1; half < N; half <<= 1) {
        const int k = t & (half - 1);
        const int i = 2 * (t - k) + k;
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);

        const float2 a = s[i], b = s[i + half];                 // expect: 2-way, 416 wavefronts, 128 excessive
        const float2 u = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        s[i] = make_float2(a.x + u.x, a.y + u.y);               // expect: 2-way, 208 wavefronts, 64 excessive
        s[i + half] = make_float2(a.x - u.x, a.y - u.y);        // expect: 2-way, 208 wavefronts, 64 excessive
        __syncthreads();
    }

    data[t] = s[t];                                             // expect: 1-way, 16 wavefronts
    data[t + N / 2] = s[t + N / 2];                             // expect: 1-way, 16 wavefronts
}

fft_radix2<<<1, N / 2>>>(data);
