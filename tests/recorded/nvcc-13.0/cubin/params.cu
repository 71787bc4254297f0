// nvcc -cubin -arch=sm_NN -o params.sm_NN.cubin params.cu: parameters of several sizes, static shared
// memory, a constant array and a jump table. Read by tests/sim/machine/test_cubin.c.
struct S {
    int a;
    double b[2];
};
__constant__ int table[4] = {1, 2, 3, 4};

__global__ void params(float *p, short s, S x, char c, int n)
{
    __shared__ float q[100];
    extern __shared__ float dyn[];
    q[threadIdx.x] = p[n];
    __syncthreads();
    dyn[threadIdx.x] = q[n & 31];
    __syncthreads();
    switch (n) {
    case 0: p[1] = dyn[s]; break;
    case 1: p[2] = q[c]; break;
    case 2: p[7] = x.a; break;
    case 3: p[8] = x.b[1]; break;
    case 4: p[9] = table[s]; break;
    default: p[3] = 3;
    }
}

__global__ void none()
{
}
