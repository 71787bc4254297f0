// Several lanes store one word: whose value is left (gpu/MEASURED.md), seen in the next address
__shared__ int s[64];
__shared__ long long d[8];
__shared__ int4 q[8];
s[0] = threadIdx.x + 4;                       // the lowest lane's: 4
s[s[0]] = 1;
d[0] = threadIdx.x;                           // the lowest of the last half: 16
s[(int)d[0]] = 1;
q[0] = make_int4(threadIdx.x, 0, 0, 0);       // the lowest of the last quarter: 24
s[q[0].x] = 1;
if (threadIdx.x < 16)
    d[1] = threadIdx.x + 5;                   // one half only: its lowest, 5
s[(int)d[1]] = 1;
