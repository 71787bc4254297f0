// run: predict --block 64
// out: race.pat:13:17: warning: warp 1 reads here what warp 0 wrote
// out: race.pat:14:9: warning: warp 1 writes here what warp 0 wrote
// out: race.pat:11:5: note: warp 0 wrote it here
// run: predict --block 32
// not: warning
__global__ void k(float *o)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (t >= 32) {
        int v = s[63 - t];
        s[v * 2] = 1;
    }
}
