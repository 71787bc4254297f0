// run: predict
// exit: 2
// out: it depends on 'n'
// out: it depends on 'm'
// out: it depends on 'j'
// not: block 64
__global__ void k()
{
    __shared__ float s[4096];
    s[threadIdx.x] = 1;
}
int main(int argc, char **argv)
{
    int n = 32, m = 32, j = 32;
    if (argc > 1) {
        n = 64;
        m = 64;
    } else {
        k<<<1, n>>>();
    }
    switch (argc) {
    case 1: m = 64; break;
    case 2: k<<<1, m>>>(); break;
    }
    while (argc--) {
        k<<<1, 32>>>();
        j = 64;
    }
    k<<<1, j>>>();
}
