// RACY. Launches of two streams store the same value: "inter-kernel" comes first in the list of kinds.
//@ launch: write<<<1, 32, stream=1>>>()
//@ launch: write<<<1, 32, stream=2>>>()

__device__ unsigned table[32];

__global__ void write() {
    table[threadIdx.x] = 7;  //~ race: inter-kernel error (with itself)
}
