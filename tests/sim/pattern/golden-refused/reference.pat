__device__ void f(float &x) { x = 1; }
__shared__ float s[32];
int t = threadIdx.x;
float &r = s[t];
float (&all)[32] = s;
int &&v = 3;
typedef float Row[32];
float y = (float &)t;
s[t] = 1;
