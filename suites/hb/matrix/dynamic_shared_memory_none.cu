// RACY. Dynamic shared memory is as any other.
//@ launch: exchange<<<1, 64, 256>>>(out: u32[64])

extern __shared__ unsigned dynamic[];

__global__ void exchange(unsigned* out) {
    dynamic[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = dynamic[63 - threadIdx.x];  //~ race: missing-sync error (with line 7)
}
