float4 v = make_float4(1, 2, 3, 4);
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = v.q;
