// CLEAN. Bit fields in two words have nothing to do with each other.
//@ launch: set<<<2, 1>>>(words: u32[2])

struct Fields {
    unsigned low : 3;
    unsigned : 0;
    unsigned high : 3;
};

__global__ void set(Fields* fields) {
    if (blockIdx.x == 0) {
        fields->low = 5;
    } else {
        fields->high = 6;
    }
}
