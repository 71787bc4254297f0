struct S {
    float x;
    __device__ S(float v) : x(v) {}
};
S a(1);
