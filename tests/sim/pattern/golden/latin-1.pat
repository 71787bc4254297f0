// größe
__shared__ float s[32];
s[threadIdx.x] = q; // é
