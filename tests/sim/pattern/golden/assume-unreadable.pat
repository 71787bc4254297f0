int *data;
// assume: data
// assume: data = 
// assume: nothing = 3
// assume: data = t
// assume: data = 1, t
// assume: data = @missing.txt
__shared__ float s[1024];
int t = threadIdx.x;
s[data[t]] = 1;
