// RACY. Two blocks mark the same vertex as seen: they store the same bytes, which is no order.
//@ launch: visit<<<2, 1>>>(seen: u32[1])

__global__ void visit(unsigned* seen) {
    *seen = 1;  //~ race: same-value warning (with itself)
}
