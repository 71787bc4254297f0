struct A { int n : 3; };
__shared__ A a[32];
a[threadIdx.x].n = 1;
