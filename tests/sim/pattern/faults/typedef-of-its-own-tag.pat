// run: predict
// out: st.32 2-way 2
typedef struct node { int a; int b; } node;
__global__ void k(float *out)
{
    __shared__ node s[32];
    s[threadIdx.x].a = 1;
}
k<<<1, 32>>>(o);
