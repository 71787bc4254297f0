template <int N> struct Tile {
    float d[N];
};
template <typename T> using Pointer = T *;
