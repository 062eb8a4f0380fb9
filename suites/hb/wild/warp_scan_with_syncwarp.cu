// CLEAN. warp_scan_by_lockstep.cu, and its advice: "put __syncwarp() after line 12, and again after line 13".
//@ launch: scan<<<1, 32>>>(data: u32[32] = iota)

__global__ void scan(unsigned* data) {
    __shared__ unsigned part[32];
    unsigned lane = threadIdx.x;
    part[lane] = data[lane];
    __syncwarp();
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        unsigned left = lane >= distance ? part[lane - distance] : 0;
        __syncwarp();
        part[lane] += left;
        __syncwarp();
    }
    data[lane] = part[lane];
}
