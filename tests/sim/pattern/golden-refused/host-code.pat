template <int N> __global__ void k()
{
    __shared__ float s[N];
    s[threadIdx.x] = 1;
}
template <int N> void launch()
{
    k<N><<<1, 32>>>();
}
int main()
{
    launch<32>();
}
