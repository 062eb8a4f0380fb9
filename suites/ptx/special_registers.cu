// Every special register, clocks and timers, nanosleep, pmevent, and the builtin index variables.
#include "support/launch.cuh"

__global__ void builtin_variables(int *out)
{
    const unsigned i = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
    out[i] = blockIdx.x + blockIdx.y * gridDim.x + blockIdx.z * gridDim.y + gridDim.z + warpSize;
    out[i] += static_cast<int>(clock() + clock64());
}

__global__ void registers(unsigned *out, unsigned long long *wide)
{
    unsigned r, sum = 0;
    unsigned long long w, total = 0;
    unsigned short h;
#define READ(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); sum += r;
#define READ_WIDE(name) asm volatile("mov.u64 %0, %%" name ";" : "=l"(w)); total += w;
    READ("tid.x") READ("tid.y") READ("tid.z") READ("ntid.x") READ("ntid.y") READ("ntid.z")
    READ("ctaid.x") READ("ctaid.y") READ("ctaid.z") READ("nctaid.x") READ("nctaid.y") READ("nctaid.z")
    READ("laneid") READ("warpid") READ("nwarpid") READ("smid") READ("nsmid")
    READ("lanemask_eq") READ("lanemask_le") READ("lanemask_lt") READ("lanemask_ge") READ("lanemask_gt")
    READ("clock") READ("clock_hi") READ_WIDE("clock64") READ_WIDE("gridid") READ_WIDE("globaltimer") READ("globaltimer_lo") READ("globaltimer_hi")
    READ("pm0") READ("pm1") READ("pm2") READ("pm3") READ("pm4") READ("pm5") READ("pm6") READ("pm7")
    READ_WIDE("pm0_64") READ_WIDE("pm1_64") READ_WIDE("pm7_64")
    READ("envreg0") READ("envreg1") READ("envreg2") READ("envreg3") READ("envreg7") READ("envreg31")
    READ("total_smem_size") READ("dynamic_smem_size")
    asm volatile("mov.u16 %0, %%tid.x;" : "=h"(h)); sum += h;
    asm volatile("cvt.u64.u32 %0, %%ctaid.x;" : "=l"(w)); total += w;
#if __CUDA_ARCH__ >= 800
    READ("reserved_smem_offset_begin") READ("reserved_smem_offset_end") READ("reserved_smem_offset_cap") READ("reserved_smem_offset_0") READ("reserved_smem_offset_1")
#endif
#if __CUDA_ARCH__ >= 900
    READ("clusterid.x") READ("clusterid.y") READ("clusterid.z") READ("nclusterid.x") READ("nclusterid.y") READ("nclusterid.z")
    READ("cluster_ctaid.x") READ("cluster_ctaid.y") READ("cluster_ctaid.z") READ("cluster_nctaid.x") READ("cluster_nctaid.y") READ("cluster_nctaid.z")
    READ("cluster_ctarank") READ("cluster_nctarank") READ("aggr_smem_size") READ_WIDE("current_graph_exec")
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(r)); sum += r;
#endif
    out[threadIdx.x] = sum;
    wide[threadIdx.x] = total;
}


__global__ void timers(long long *out)
{
    const long long start = clock64();
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
#if __CUDA_ARCH__ >= 700
    __nanosleep(20);
    asm volatile("nanosleep.u32 100;");
    asm volatile("nanosleep.u32 %0;" ::"r"(50));
#endif
    __prof_trigger(1);
    asm volatile("pmevent 3;");
    asm volatile("pmevent.mask 0x00ff;");
    out[threadIdx.x] = clock64() - start + static_cast<long long>(now & 1);
}

#ifndef __CUDACC_RTC__
int main()
{
    long long *out = corpus::device_array<long long>(64);
    builtin_variables<<<1, 32>>>(corpus::device_array<int>(64));
    timers<<<1, 32>>>(out);
    return corpus::finish("special_registers", corpus::read_back(out) > 0);
}
#endif
