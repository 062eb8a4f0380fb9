// CLEAN. Atomics on 8 bytes and on floating point are strong, too.
//@ launch: mix<<<2, 64>>>(f: f32[1], d: f64[1], l: u64[1])

__global__ void mix(float* f, double* d, unsigned long long* l) {
    atomicAdd(f, 1.0f);
    atomicAdd(d, 1.0);
    atomicAdd(l, 1ull);
    atomicCAS(l, 1ull, 2ull);
}
