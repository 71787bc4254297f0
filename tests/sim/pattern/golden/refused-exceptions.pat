__shared__ float s[1024];
int t = threadIdx.x;
try { s[t] = 1; } catch (int e) {}
throw 3;
