// run: predict --launches lists/two.launches
// out: kernel a (launch 1 of 2), block 32, grid 1
// out: kernel b (launch 2 of 2), block 32x2, grid 1
// run: predict --launches lists/two.launches --launch 'a<<<4, 32>>>(_)' --arg n=3
// out: kernel a (launch 3 of 3), block 32, grid 4
// run: predict --launches lists/wrong.launches
// exit: 2
// out: lists/wrong.launches:3:1: error: unknown kernel 'c'
// run: predict --launches lists/none.launches
// exit: 2
// out: lists/none.launches:2: 'a block 32' is no launch
__global__ void a(int n)
{
    __shared__ float s[64];
    if (n > 2)
        s[threadIdx.x] = 1;
}
__global__ void b()
{
    __shared__ float s[128];
    s[threadIdx.x * 2 & 127] = 1;
}
