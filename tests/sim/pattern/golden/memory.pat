// run: --max-memory 1000000
__shared__ float s[1024];
int t = threadIdx.x;
float big[65536];
for (int i = 0; i < 4; i++) big[(t + i) & 65535] = i;
s[(int)big[t]] = 1;
