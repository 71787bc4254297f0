struct Tile {
    float d[64];
    __device__ float &at(int i) { return d[i]; }
    friend __device__ int size(Tile t) { return 64; }
};
