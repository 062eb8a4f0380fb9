// RACY. A scan of a warp in shared memory, from times when lanes ran in lockstep.
//@ launch: scan<<<1, 32>>>(data: u32[32] = iota)
//@ groups: 1
//@ advice: put __syncwarp() after line 12, and again after line 13

__global__ void scan(unsigned* data) {
    __shared__ unsigned part[32];
    unsigned lane = threadIdx.x;
    part[lane] = data[lane];
    __syncwarp();
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        unsigned left = lane >= distance ? part[lane - distance] : 0;
        part[lane] += left;  //~ race: warp-sync error (with line 12)
    }
    data[lane] = part[lane];
}
