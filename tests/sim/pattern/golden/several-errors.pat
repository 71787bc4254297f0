__shared__ float s[1024];
int t = threadIdx.x;
s[one] = 1;
int x = ;
s[t] = 1 +* 2;
s[two] = 1;
