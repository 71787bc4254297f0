class C {
  public:
    float x;
};
__shared__ C s[32];
s[threadIdx.x].x = 1;
