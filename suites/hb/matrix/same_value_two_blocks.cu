// RACY. "Unordered writes that all store the same bytes: else error": two blocks.
//@ launch: mark<<<2, 1>>>(flag: u32[1])

__global__ void mark(unsigned* flag) {
    *flag = 1;  //~ race: same-value warning (with itself)
}
