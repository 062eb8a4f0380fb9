// No detector: what looking metadata up costs, and what reading and writing it costs.
#include "layout.h"

template <u32 WORDS> static __device__ __forceinline__ void lookup() {
    u64 place = entry_of(in_address());
    // Never true, but the compiler does not know.
    if (place == 1) *(volatile u32 *)place = in_site();
}

template <u32 WORDS> static __device__ __forceinline__ void traffic() {
    u64 place = entry_of(in_address());
    if (place == 0) return;
    u64 site_place = site_of(place, in_address());
#pragma unroll 1
    for (u32 word = 0; word < WORDS; word++, place += 8, site_place += 2) {
        u64 entry = read_entry(place) ^ in_self();
        asm volatile("st.global.b64 [%0], %1;" ::"l"(place), "l"(entry) : "memory");
        write_half(site_place, in_site());
    }
}

extern "C" __device__ void ws_lookup_1() { lookup<1>(); }
extern "C" __device__ void ws_lookup_2() { lookup<2>(); }
extern "C" __device__ void ws_lookup_4() { lookup<4>(); }
extern "C" __device__ void ws_traffic_1() { traffic<1>(); }
extern "C" __device__ void ws_traffic_2() { traffic<2>(); }
extern "C" __device__ void ws_traffic_4() { traffic<4>(); }
