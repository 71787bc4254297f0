// run: predict
// exit: 2
// out: endless-loop.pat:6:8: error: this loop does not end
__shared__ float s[32];
int i = 0;
while (i < 10) {
}
s[threadIdx.x] = 1;
