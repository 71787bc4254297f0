struct A { int x, y; union { int i; float f; }; };
__shared__ int s[64];
A a = {.y = 1, .x = 2};
A b = {.q = 1};
A c = {.f = 1.0f};
int d[3] = {[1] = 2};
s[threadIdx.x] = a.x;
