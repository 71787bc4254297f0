__global__ void k(float *o, int n, int w)
{
    __shared__ float s[128];
    s[threadIdx.x * w] = n;
    if (threadIdx.x < n)
        s[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    k<<<1, 64>>>(d, n, 2);
}
