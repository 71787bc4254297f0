__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    k<<<n / 32, 32>>>();
}
