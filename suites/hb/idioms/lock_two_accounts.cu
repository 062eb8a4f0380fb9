// CLEAN. A transfer takes the locks of both accounts, the smaller number first; any two transfers of one account share a lock.
//@ launch: transfer<<<3, 1>>>(locks: u32[3], accounts: u32[3] = 100)

__global__ void transfer(unsigned* locks, unsigned* accounts) {
    unsigned from = blockIdx.x, to = (blockIdx.x + 1) % 3;
    unsigned first = min(from, to), second = max(from, to);
    while (atomicCAS(locks + first, 0u, 1u) != 0u) {
    }
    while (atomicCAS(locks + second, 0u, 1u) != 0u) {
    }
    __threadfence();
    accounts[from] -= blockIdx.x + 5;
    accounts[to] += blockIdx.x + 5;
    __threadfence();
    atomicExch(locks + second, 0u);
    atomicExch(locks + first, 0u);
}
