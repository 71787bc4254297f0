// 2-D convolution with halo cells loaded under conditions, and a constant-memory filter.
#define RADIUS 2
#define FILTER (2 * RADIUS + 1)
#define TILE 16
#define IN_TILE (TILE + 2 * RADIUS)
__constant__ float c_filter[FILTER][FILTER];

__global__ void conv2d(const float *in, float *out, int width, int height)
{
    __shared__ float s[IN_TILE][IN_TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int gx = blockIdx.x * TILE + tx, gy = blockIdx.y * TILE + ty;

    s[ty + RADIUS][tx + RADIUS] = (gx < width && gy < height) ? in[gy * width + gx] : 0.f;
    if (tx < RADIUS) {
        s[ty + RADIUS][tx] = gx >= RADIUS && gy < height ? in[gy * width + gx - RADIUS] : 0.f;
        s[ty + RADIUS][tx + TILE + RADIUS] = gx + TILE < width ? in[gy * width + gx + TILE] : 0.f;
    }
    if (ty < RADIUS) {
        s[ty][tx + RADIUS] = gy >= RADIUS ? in[(gy - RADIUS) * width + gx] : 0.f;
        s[ty + TILE + RADIUS][tx + RADIUS] = gy + TILE < height ? in[(gy + TILE) * width + gx] : 0.f;
    }
    if (tx < RADIUS && ty < RADIUS) {
        int dx[4] = {0, TILE + RADIUS, 0, TILE + RADIUS}, dy[4] = {0, 0, TILE + RADIUS, TILE + RADIUS};
        for (int c = 0; c < 4; ++c) s[ty + dy[c]][tx + dx[c]] = 0.0f;
    }
    __syncthreads();
    if (gx >= width || gy >= height) return;
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < FILTER; ++i)
#pragma unroll
        for (int j = 0; j < FILTER; ++j)
            sum = fmaf(s[ty + i][tx + j], c_filter[i][j], sum);     // expect: 2-way
    out[gy * width + gx] = sum;
}

int main()
{
    int w = 64, h = 64;
    dim3 block(TILE, TILE);
    dim3 grid = dim3((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    float h_filter[25];
    for (int i = 0; i < 25; ++i) h_filter[i] = 1.f / 25;
    cudaMemcpyToSymbol(c_filter, h_filter, sizeof(h_filter));
    conv2d<<<grid, block>>>(d_in, d_out, w, h);
    cudaDeviceSynchronize();
}
