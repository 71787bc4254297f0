// SPDX-License-Identifier: GPL-3.0-or-later
// title: Particles as an array of structs and as a struct of arrays
//
// A struct of 8 floats is a stride of 8 words: each member access is 8-way. A float4 pair read
// whole does better, but not freely: 32 bytes between lanes use every second 16-byte place. With
// an array for each member the stride is 1.

struct Particle {
    float x, y, z, mass;
    float vx, vy, vz, charge;
};

struct __align__(16) PackedParticle {
    float4 pos;
    float4 vel;
};

struct ParticleArrays {
    float x[256], y[256], z[256], mass[256];
    float vx[256], vy[256], vz[256], charge[256];
};

__global__ void integrate_aos(Particle *particles, float dt)
{
    __shared__ Particle s[256];
    int t = threadIdx.x;
    s[t].x = particles[t].x;            // expect: 8-way, 64 wavefronts, 56 excessive
    s[t].vx = particles[t].vx;          // expect: 8-way, 64 wavefronts, 56 excessive
    s[t].x += s[t].vx * dt;             // expect: 8-way, 192 wavefronts, 168 excessive
    particles[t].x = s[t].x;            // expect: 8-way, 64 wavefronts, 56 excessive
}

__global__ void integrate_packed(PackedParticle *particles, float dt)
{
    __shared__ PackedParticle s[256];
    int t = threadIdx.x;
    s[t].pos = particles[t].pos;        // expect: 2-way, 64 wavefronts, 32 excessive
    s[t].vel = particles[t].vel;        // expect: 2-way, 64 wavefronts, 32 excessive
    float4 p = s[t].pos, v = s[t].vel;  // expect: 2-way, 128 wavefronts, 64 excessive
    p.x += v.x * dt;
    p.y += v.y * dt;
    p.z += v.z * dt;
    s[t].pos = p;                       // expect: 2-way, 64 wavefronts, 32 excessive
    particles[t].pos = s[t].pos;        // expect: 2-way, 64 wavefronts, 32 excessive
}

__global__ void integrate_soa(float *x, float *vx, float dt)
{
    __shared__ ParticleArrays s;
    int t = threadIdx.x;
    s.x[t] = x[t];                      // expect: 1-way, 8 wavefronts
    s.vx[t] = vx[t];                    // expect: 1-way, 8 wavefronts
    s.x[t] += s.vx[t] * dt;             // expect: 1-way, 24 wavefronts
    x[t] = s.x[t];                      // expect: 1-way, 8 wavefronts
}

integrate_aos<<<1, 256>>>(particles, 0.5f);
integrate_packed<<<1, 256>>>(particles, 0.5f);
integrate_soa<<<1, 256>>>(x, vx, 0.5f);
