__device__ float4 operator*(float s, float4 v)
{
    return make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}
struct V {
    float x;
    __device__ V operator-() const { return {-x}; }
};
