__shared__ float s[1024];
int t = threadIdx.x;
quad q;
foo *p = s;
