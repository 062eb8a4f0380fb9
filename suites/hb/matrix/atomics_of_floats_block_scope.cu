// RACY. The scope counts for every type.
//@ launch: mix<<<2, 1>>>(d: f64[1])

__global__ void mix(double* d) {
    atomicAdd_block(d, 1.0);  //~ race: scope error (with itself)
}
