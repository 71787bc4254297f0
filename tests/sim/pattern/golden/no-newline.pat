__shared__ float s[32];
s[q] = 1;