float4 a = make_float4(1, 2, 3, 4), b = a;
__shared__ float s[1024];
int t = threadIdx.x;
float4 c = a + b;
s[t] = c.x;
