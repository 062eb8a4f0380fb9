// Checks in order (`ordered.h`) with metadata of another granularity or with a history.
#include "general.h"
#include "ordered.h"

struct OfGranules {
    static __device__ __forceinline__ u64 find(u64 address) { return chunk_of(context_shadow_table(), address); }

    static __device__ __forceinline__ void check(u64 chunk, u64 address, u32 bytes, u64 self, u32 mask, u32 access) {
        Granules all = granules_of(chunk, address, bytes);
#pragma unroll 1
        for (u64 granule = all.first; granule < all.end; granule += all.bytes()) all.check(granule, self, mask, access);
    }
};

extern "C" __device__ void ws_ordered_general_access() { ordered_access<OfGranules>(); }

extern "C" __device__ void ws_ordered_general_copy() { ordered_copy<OfGranules>(); }
