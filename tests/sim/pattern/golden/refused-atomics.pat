__shared__ short h[32];
__shared__ double d[32];
atomicAdd(&h[0], 1);
atomicMax(&d[0], 1.0);
atomicAdd(h, h);
