__shared__ float s[32];
int a[] = {1, 2};
for (int x : a) s[x] = 1;
for (int x : {1, 2}) s[x] = 1;
s[threadIdx.x] = 1;
