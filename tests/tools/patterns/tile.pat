// title: A column of a padded tile, two parameters
const int TILE = 32;
const int PAD = 0;
__shared__ float tile[TILE][TILE + PAD];
float v = tile[threadIdx.x][1];
