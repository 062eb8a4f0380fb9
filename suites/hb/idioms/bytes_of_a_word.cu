// RACY. One thread writes a byte, another one the word that it is part of.
//@ launch: bytes<<<2, 1>>>(out: u32[1])

__global__ void bytes(unsigned* out) {
    if (blockIdx.x == 0) {
        *out = 0x01020304;
    } else {
        reinterpret_cast<unsigned char*>(out)[2] = 9;  //~ race: missing-sync (with line 6)
    }
}
