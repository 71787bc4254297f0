struct A { int n; };
struct B : A { int m; };
struct C { virtual int f() { return 1; } };
struct D { friend int g(D d); };
struct E { int n; int f(); };
int E::f() { return n; }
struct F { int &r; };
struct G { G inner; };
__shared__ int s[64];
s[threadIdx.x] = 1;
