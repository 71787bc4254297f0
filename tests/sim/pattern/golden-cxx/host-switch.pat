// run: -D threads=64
template <int N> __global__ void k(float *o)
{
    __shared__ float s[128];
    s[threadIdx.x * (N / 32)] = 1;
}
void run(int threads, int which, float *d)
{
    int block = 32;
    switch (threads) {
    case 32:
        k<32><<<1, 8>>>(d);
        break;
    default:
        k<999><<<1, 2048>>>(d);
        break;
    case 64:
        block = 16;
        k<64><<<1, block>>>(d);
    case 128:
        k<128><<<1, block>>>(d);
        break;
    }
    switch (which) {
    case 0:
        k<32><<<1, 32>>>(d);
        break;
    case 1:
        block = 8;
        k<64><<<1, block>>>(d);
    }
    k<32><<<1, 8>>>(d);
    if (which > 3)
        k<32><<<1, 1024>>>(d);
    else if (threads == 64)
        k<32><<<1, 32>>>(d);
    else
        k<32><<<1, 2048>>>(d);
}
