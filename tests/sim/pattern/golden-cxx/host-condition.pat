__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
    if (argc > 1)
        k<<<1, 32>>>();
}
