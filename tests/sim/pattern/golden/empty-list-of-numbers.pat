__shared__ float s[1024];
int t = threadIdx.x;
s['ab'] = 1;
s[0x] = 1;
s[12q] = 1;
s[99999999999999999999] = 1;
