__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
int main()
{
    int n = 64;
    n = n / 2;
    k<<<1, n>>>();
}
