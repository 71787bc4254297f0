__shared__ float s[1024];
int t = threadIdx.x;
switch (t) {
case 0:
    for (int i = 0; i < 2; i++) {
    case 1: s[t] = 1;
    }
}
