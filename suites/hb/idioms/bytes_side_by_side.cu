// CLEAN. Threads write neighbouring bytes of one word: they do not overlap.
//@ launch: bytes<<<1, 64>>>(out: u8[64])

__global__ void bytes(unsigned char* out) {
    out[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
}
