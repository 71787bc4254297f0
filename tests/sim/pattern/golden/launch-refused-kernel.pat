__global__ void k(missing *a) {}
k<<<1, 32>>>(a);
