// run: predict
// out: red.add.f64 1-way 18 6 12
// out: ld.64 1-way 2
// out: where each leaves it as it was, the loop takes 12 wavefronts
// run: predict --format json
// out: "wavefronts_if_values_stay": 12
__global__ void k(double *out)
{
    __shared__ double s[32];
    atomicAdd(&s[threadIdx.x & 7], 1.0);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x & 31];
}
k<<<1, 32>>>(o);
