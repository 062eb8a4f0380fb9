// RACY. Bit fields of one byte: to write one is to read and write the byte of both.
//@ launch: set<<<2, 1>>>(words: u32[1])

struct Fields {
    unsigned low : 3;
    unsigned high : 3;
};

__global__ void set(Fields* fields) {
    // The comments in the assembly keep the compiler from making one access of the two.
    if (blockIdx.x == 0) {
        asm volatile("// low" ::: "memory");
        fields->low = 5;
        asm volatile("// low" ::: "memory");
    } else {
        asm volatile("// high" ::: "memory");
        fields->high = 6;  //~ race: missing-sync error (with line 13)
        asm volatile("// high" ::: "memory");
    }
}
