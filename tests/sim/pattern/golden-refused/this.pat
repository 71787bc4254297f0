__device__ int f() { return this->x; }
