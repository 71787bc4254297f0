float *p = nullptr;
__shared__ float *q;
*(float *)0 = 1;
