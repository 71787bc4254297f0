__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1; // expect: twice
s[t] = 1; // expect: 2-ways
s[t] = 1; // expect: 99999999999999999999-way
