template <typename T> __device__ int size() { return 4; }
template <> __device__ int size<double>() { return 8; }
__shared__ int s[32];
s[size<float>()] = 1;
