__global__ void k(const int *index, float *out)
{
    __shared__ float s[256];
    int i = index[threadIdx.x];
    s[i * 2 & 255] = 1;
    out[0] = s[0];
}
k<<<1, 32>>>(index, out);
