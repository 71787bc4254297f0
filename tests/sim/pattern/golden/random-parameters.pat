__shared__ float s[1024];
int t = threadIdx.x;
s[random(0)] = 1;
s[zipf(5, -1.0)] = 1;
