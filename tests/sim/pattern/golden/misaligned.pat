__shared__ float s[1024];
int t = threadIdx.x;
float4 v = *(float4 *)&s[t];
