// Thread block clusters: distributed shared memory, cluster barriers, remote mbarriers, bulk copies between blocks.
//@ flags: -Xptxas --suppress-async-bulk-multicast-advisory-warning
#include "support/check.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int CLUSTER = 4;
constexpr int BINS_EACH = 64;

__device__ unsigned shared_address(const void *pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ unsigned address_in_block(unsigned address, unsigned rank) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The bins are spread over the shared memories of the cluster.
__global__ void cluster_histogram(int n, const unsigned char *in, unsigned *bins) {
    extern __shared__ unsigned part[];
    auto cluster = cg::this_cluster();
    for (int b = threadIdx.x; b < BINS_EACH; b += blockDim.x) {
        part[b] = 0;
    }
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i];
        unsigned *remote = cluster.map_shared_rank(part, bin / BINS_EACH);
        atomicAdd(remote + bin % BINS_EACH, 1u);
    }
    cluster.sync();
    for (int b = threadIdx.x; b < BINS_EACH; b += blockDim.x) {
        atomicAdd(&bins[cluster.block_rank() * BINS_EACH + b], part[b]);
    }
}

__global__ void __cluster_dims__(CLUSTER, 1, 1) cluster_reduction(const int *in, int *sums) {
    __shared__ int partial[128];
    __shared__ int total;
    auto cluster = cg::this_cluster();
    partial[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        total = partial[0];
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
            sum = sum * 3 + *cluster.map_shared_rank(&total, rank);
        }
        sums[blockIdx.x / CLUSTER] = sum;
    }
    cluster.sync();
}

// Values travel round the ring of blocks; PTX for the addresses, the accesses and the barriers.
__global__ void __cluster_dims__(CLUSTER, 1, 1) cluster_ring_ptx(int rounds, unsigned *data) {
    __shared__ unsigned inbox[2][64];
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    unsigned value = data[blockIdx.x * 64 + threadIdx.x];
    cluster_barrier();
    for (int round = 0; round < rounds; ++round) {
        unsigned target = address_in_block(shared_address(&inbox[round % 2][threadIdx.x ^ 1]), (rank + 1) % CLUSTER);
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(target), "r"(value) : "memory");
        cluster_barrier();
        value = value * 7 + inbox[round % 2][threadIdx.x];
    }
    data[blockIdx.x * 64 + threadIdx.x] = value;
}

__global__ void cluster_identity(int *out) {
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        int *mine = out + (blockIdx.y * gridDim.x + blockIdx.x) * 8;
        dim3 index = cluster.block_index(), dims = cluster.dim_blocks();
        unsigned cluster_x, cluster_y;
        asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster_x));
        asm("mov.u32 %0, %%clusterid.y;" : "=r"(cluster_y));
        mine[0] = static_cast<int>(cluster.block_rank());
        mine[1] = static_cast<int>(index.x);
        mine[2] = static_cast<int>(index.y);
        mine[3] = static_cast<int>(dims.x * 10 + dims.y);
        mine[4] = static_cast<int>(cluster.num_threads());
        mine[5] = static_cast<int>(cluster_x);
        mine[6] = static_cast<int>(cluster_y);
        mine[7] = static_cast<int>(cluster.num_blocks());
    }
}

__device__ void wait_for_phase(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{\n\t.reg .pred done;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, done;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

// Each block writes a line into the memory of block 0 and arrives there; block 0 waits for all of them.
__global__ void __cluster_dims__(CLUSTER, 1, 1) cluster_remote_arrival(const int *in, int *out) {
    __shared__ int lines[CLUSTER][32];
    __shared__ __align__(8) unsigned long long object;
    auto cluster = cg::this_cluster();
    unsigned barrier = shared_address(&object), rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(CLUSTER * 32) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    cluster.map_shared_rank(&lines[0][0], 0)[rank * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * (rank + 1);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address_in_block(barrier, 0))
                 : "memory");
    if (rank == 0) {
        wait_for_phase(barrier, 0);
        int sum = 0;
        for (int r = 0; r < CLUSTER; ++r) {
            sum = sum * 2 + lines[r][31 - threadIdx.x];
        }
        out[blockIdx.x / CLUSTER * 32 + threadIdx.x] = sum;
    }
    cluster.sync();
}

// Every block sends its tile to its neighbour by a bulk copy that completes on the neighbour's mbarrier.
__global__ void __cluster_dims__(2, 1, 1) cluster_bulk_exchange(const int *in, int *out) {
    __shared__ __align__(16) int mine[128];
    __shared__ __align__(16) int received[128];
    __shared__ __align__(8) unsigned long long object;
    unsigned barrier = shared_address(&object), other = cg::this_cluster().block_rank() ^ 1;
    mine[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], 512;\n\t}" ::"r"(
                         barrier)
                     : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster_barrier();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
                         address_in_block(shared_address(received), other)),
                     "r"(shared_address(mine)), "r"(address_in_block(barrier, other))
                     : "memory");
    }
    wait_for_phase(barrier, 0);
    out[blockIdx.x * 128 + threadIdx.x] = received[127 - threadIdx.x] + static_cast<int>(blockIdx.x);
    cluster_barrier();
}

// Block 0 reads one tile and it arrives in every block of the cluster.
__global__ void __cluster_dims__(CLUSTER, 1, 1) cluster_multicast(const int *in, int *out) {
    __shared__ __align__(16) int tile[64];
    __shared__ __align__(8) unsigned long long object;
    unsigned barrier = shared_address(&object), rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], 256;\n\t}" ::"r"(
                         barrier)
                     : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    cluster_barrier();
    if (rank == 0 && threadIdx.x == 0) {
        unsigned short everyone = (1 << CLUSTER) - 1;
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], 256, [%2], %3;" ::"r"(shared_address(tile)),
                     "l"(in + blockIdx.x / CLUSTER * 64), "r"(barrier), "h"(everyone)
                     : "memory");
    }
    wait_for_phase(barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = tile[(threadIdx.x + rank) % 64];
    cluster_barrier();
}

template <typename... Parameters, typename... Arguments>
void launch_in_clusters(dim3 grid, dim3 block, size_t shared, dim3 cluster, void (*kernel)(Parameters...),
                        Arguments... arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = 1;
    REQUIRE_SUCCESS(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

int main() {
    {
        const int n = 20000;
        auto in = check::patterns<unsigned char>(n, 171);
        check::DeviceBuffer<unsigned char> din(in);
        check::DeviceBuffer<unsigned> dbins(256);
        launch_in_clusters(dim3(8), dim3(128), BINS_EACH * sizeof(unsigned), dim3(CLUSTER), cluster_histogram, n,
                           (unsigned char *)din, (unsigned *)dbins);
        std::vector<unsigned> bins(256);
        for (auto v : in) {
            ++bins[v];
        }
        check::exact("cluster_histogram", dbins.to_host(), bins);
    }
    {
        const int clusters = 5;
        auto in = check::integers<int>(clusters * CLUSTER * 128, 172, -1000, 1000);
        check::DeviceBuffer<int> din(in), dsums(clusters);
        cluster_reduction<<<clusters * CLUSTER, 128>>>(din, dsums);
        std::vector<int> sums(clusters);
        for (int block = 0; block < clusters * CLUSTER; ++block) {
            int total = 0;
            for (int i = 0; i < 128; ++i) {
                total += in[block * 128 + i];
            }
            sums[block / CLUSTER] = sums[block / CLUSTER] * 3 + total;
        }
        check::exact("cluster_reduction", dsums.to_host(), sums);
    }
    {
        const int blocks = 3 * CLUSTER, rounds = 9;
        auto state = check::patterns<unsigned>(blocks * 64, 173);
        check::DeviceBuffer<unsigned> data(state);
        cluster_ring_ptx<<<blocks, 64>>>(rounds, data);
        for (int round = 0; round < rounds; ++round) {
            std::vector<unsigned> next(state.size());
            for (int i = 0; i < blocks * 64; ++i) {
                int block = i / 64, from = block / CLUSTER * CLUSTER + (block % CLUSTER + CLUSTER - 1) % CLUSTER;
                next[i] = state[i] * 7 + state[from * 64 + (i % 64 ^ 1)];
            }
            state = next;
        }
        check::exact("cluster_ring_ptx", data.to_host(), state);
    }
    {
        check::DeviceBuffer<int> dout(8 * 6 * 8);
        launch_in_clusters(dim3(8, 6), dim3(32), 0, dim3(4, 2), cluster_identity, (int *)dout);
        std::vector<int> out;
        for (int y = 0; y < 6; ++y) {
            for (int x = 0; x < 8; ++x) {
                for (int v : {y % 2 * 4 + x % 4, x % 4, y % 2, 42, 256, x / 4, y / 2, 8}) {
                    out.push_back(v);
                }
            }
        }
        check::exact("cluster_identity", dout.to_host(), out);
    }
    {
        const int clusters = 4;
        auto in = check::integers<int>(clusters * CLUSTER * 32, 174, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(clusters * 32);
        cluster_remote_arrival<<<clusters * CLUSTER, 32>>>(din, dout);
        std::vector<int> out(clusters * 32);
        for (int i = 0; i < clusters * 32; ++i) {
            for (int r = 0; r < CLUSTER; ++r) {
                out[i] = out[i] * 2 + in[(i / 32 * CLUSTER + r) * 32 + 31 - i % 32] * (r + 1);
            }
        }
        check::exact("cluster_remote_arrival", dout.to_host(), out);
    }
    {
        const int n = 128 * 10;
        auto in = check::integers<int>(n, 175, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(n);
        cluster_bulk_exchange<<<10, 128>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[(i / 128 ^ 1) * 128 + 127 - i % 128] + i / 128;
        }
        check::exact("cluster_bulk_exchange", dout.to_host(), out);
    }
    {
        const int clusters = 4;
        auto in = check::patterns<int>(clusters * 64, 176);
        check::DeviceBuffer<int> din(in), dout(clusters * CLUSTER * 64);
        cluster_multicast<<<clusters * CLUSTER, 64>>>(din, dout);
        std::vector<int> out(clusters * CLUSTER * 64);
        for (int i = 0; i < clusters * CLUSTER * 64; ++i) {
            out[i] = in[i / 64 / CLUSTER * 64 + (i % 64 + i / 64 % CLUSTER) % 64];
        }
        check::exact("cluster_multicast", dout.to_host(), out);
    }
    return check::finish();
}
