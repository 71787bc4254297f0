__shared__ int s[64];
int t = threadIdx.x, *p = s;
for (int x : t) s[x] = 1;
for (auto x : p) s[t] = x;
for (int i : {1, 2}) s[i] = 1;
for (auto j : {1, 2}) s[j] = 1;
