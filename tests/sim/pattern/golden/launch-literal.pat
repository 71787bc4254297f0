// run: --grid 2
struct Sizes {
    int rows, columns;
};
template <int N = 8, typename T = float> __global__ void k(T *o, Sizes sizes)
{
    __shared__ T s[64 * N];
    s[threadIdx.x * N + sizes.columns] = o[0];
}
const int W = 32;
k<4, double><<<W / 8, dim3(W, 2), 4 * W>>>(o, {2, 3});
k<4><<<dim3{1, 1}, {32}>>>(o, {2, 3});
k<<<any, 32>>>(o, {2, 3});
