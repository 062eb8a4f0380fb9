// The acceleration of every body by all bodies, which are read in tiles through shared memory.
// The number of bodies is a multiple of the block.

#define TILE 256
#define SOFTENING 0.01f

extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, unsigned n) {
    __shared__ float4 tile[TILE];
    unsigned i = blockIdx.x * TILE + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (unsigned start = 0; start < n; start += TILE) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (unsigned j = 0; j < TILE; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x;
            float dy = other.y - me.y;
            float dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float force = other.w * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0.0f);
}
