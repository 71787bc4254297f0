template <typename T> __device__ T twice(T x) { return x + x; }
__device__ float four(float x) { return twice(twice<float>(x)); }
template <int N, typename T> __global__ void k(T *o)
{
    __shared__ float s[N];
    s[threadIdx.x] = four(1);
}
k<32><<<1, 32>>>((float *)o);
k<32, float><<<1, 32>>>(o);
