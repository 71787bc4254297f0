const int N = 3;
__shared__ float s[1024];
int t = threadIdx.x;
N = 4;
5 = t;
const float c[2] = {1, 2};
c[0] = 3;
