// CLEAN. Fields of one structure, each of its own block.
//@ launch: set<<<4, 1>>>(words: u32[4])

struct Mixed {
    unsigned word;
    unsigned short half;
    unsigned char byte, other;
};

__global__ void set(Mixed* mixed) {
    switch (blockIdx.x) {
        case 0: mixed->word = 1; break;
        case 1: mixed->half = 2; break;
        case 2: mixed->byte = 3; break;
        default: mixed->other = 4;
    }
}
