float big[8388608];
__shared__ float s[1024];
int t = threadIdx.x;
big[t] = t;
s[(int)big[t]] = 1;
