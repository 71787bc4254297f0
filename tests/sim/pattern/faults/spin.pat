// run: predict
// exit: 2
// out: this loop waits for what another thread writes
__global__ void k(float *o)
{
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    while (atomicCAS(&flag, 0, 1) != 0)
        ;
    atomicExch(&flag, 0);
}
k<<<1, 64>>>(o);
