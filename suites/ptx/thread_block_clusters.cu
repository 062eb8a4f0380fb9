// Clusters: __cluster_dims__, distributed shared memory, cluster barriers, mapa, st.async and red.async.
//@ architectures: 90 90a 100 120
#include <cooperative_groups.h>

#include "support/launch.cuh"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) fixed_cluster(int *out)
{
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        value = static_cast<int>(cluster.block_rank()) + 10;
    }
    cluster.sync();
    int *remote = cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *remote + static_cast<int>(cluster.query_shared_rank(remote));
    atomicAdd(remote, 1);
    cluster.barrier_arrive();
    out[0] += 0;
    cluster.barrier_wait();
}

__global__ void __cluster_dims__(2, 2, 1) __launch_bounds__(128) two_dimensions(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    const dim3 index = cluster.block_index(), size = cluster.dim_blocks(), threads = cluster.dim_threads(), thread = cluster.thread_index();
    out[cluster.thread_rank()] = index.x + index.y * size.x + size.y + threads.x + thread.z + cluster.num_threads() + cluster.num_blocks();
}

__global__ void cluster_set_at_launch(int *out)
{
    out[blockIdx.x] = __clusterDimIsSpecified() + __clusterDim().x + __clusterRelativeBlockIdx().x + __clusterGridDimInClusters().y + __clusterIdx().z
        + __clusterRelativeBlockRank() + __clusterSizeInBlocks();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
}

__global__ void __cluster_dims__(2, 1, 1) instructions(unsigned *out)
{
    __shared__ alignas(16) unsigned buffer[32];
    __shared__ unsigned long long barrier;
    const unsigned local = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    const unsigned state = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    unsigned remote, remote_state, rank;
    unsigned long long generic;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote_state) : "r"(state));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(buffer), "r"(0));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(remote));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(generic));
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait.acquire;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(rank) : "r"(remote) : "memory");
    asm volatile("st.shared::cluster.u32 [%0+4], %1;" ::"r"(remote), "r"(rank) : "memory");
    asm volatile("ld.relaxed.cluster.shared::cluster.v2.u32 {%0, _}, [%1];" : "=r"(rank) : "r"(remote) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %1}, [%2];" ::"r"(remote), "f"(1.0f), "r"(remote_state) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(remote), "l"(generic), "r"(remote_state) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0], %1, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%0], %1, [%2];" ::"r"(remote), "r"(rank), "r"(remote_state) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(remote), "l"(generic), "r"(remote_state) : "memory");
    asm volatile("{.reg .pred p, q; isspacep.shared::cluster p, %1; isspacep.shared::cta q, %1; and.pred p, p, q; selp.u32 %0, 1, 0, p;}" : "=r"(rank) : "l"(generic));
    asm volatile("{.reg .b64 g; cvta.shared::cluster.u64 g, %0; cvta.to.shared::cluster.u64 g, g;}" ::"l"(generic));
    out[threadIdx.x] = rank;
}


// With the number of blocks per cluster in __block_size__, the launch counts clusters.
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) sized_by_cluster(int *out)
{
    out[threadIdx.x] = static_cast<int>(blockIdx.x);
}

int main()
{
    int *out = corpus::device_array<int>(256);
    if (corpus::device_has(90)) {
        fixed_cluster<<<2, 32>>>(out);
        two_dimensions<<<dim3(2, 2), 128>>>(corpus::device_array<int>(512));
    }
    return corpus::finish("thread_block_clusters", !corpus::device_has(90) || corpus::read_back(out, 32) == 10);
}
