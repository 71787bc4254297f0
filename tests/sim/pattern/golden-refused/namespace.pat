namespace cg = cooperative_groups;
using namespace std;
namespace mine { const int N = 3; }
namespace { const int M = 3; }
__shared__ float s[32];
s[threadIdx.x] = 1;
