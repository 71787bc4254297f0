__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
int main()
{
    CHECK((k<<<1, 32>>>()));
}
