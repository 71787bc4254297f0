// One helper, two arrays, three calls.
__device__ float get(float *p, int r) { return p[r * 8]; }
__device__ float both(float *p, int r)
{
    return get(p, r) + get(p, r * 4);
}
__global__ void k(float *o)
{
    __shared__ float a[1024], b[1024];
    a[threadIdx.x] = 0;
    b[threadIdx.x] = 0;
    o[0] = get(a, threadIdx.x) // expect: 8-way, 8 wavefronts
           + both(b, threadIdx.x); // expect: 32-way, 40 wavefronts
    unsigned at = __cvta_generic_to_shared(&a[threadIdx.x]);
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at)); // expect: 1-way
}
k<<<1, 32>>>(o);
