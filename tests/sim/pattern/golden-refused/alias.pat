using Row = float;
using std::min;
__shared__ float s[32];
using T = int;
s[threadIdx.x] = 1;
