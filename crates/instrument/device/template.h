// What a check may ask of the place where it is expanded.
//
// The compiler passes the text of inline assembly on without reading it, so these are words of our own. The
// instrumenter replaces them when it expands a check: `ws.in` by a move from an operand of the
// instrumented instruction or a register of the kernel, `ws.ctx` by a load from the launch's context,
// `ws.out` by a move to a register of the kernel.
#pragma once

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

#define WS_INPUT_64(name)                                                                          \
    static __device__ __forceinline__ u64 in_##name() {                                            \
        u64 value;                                                                                 \
        asm volatile("ws.in.b64 %0, " #name ";" : "=l"(value));                                    \
        return value;                                                                              \
    }
#define WS_INPUT_32(name)                                                                          \
    static __device__ __forceinline__ u32 in_##name() {                                            \
        u32 value;                                                                                 \
        asm volatile("ws.in.b32 %0, " #name ";" : "=r"(value));                                    \
        return value;                                                                              \
    }

// The address that the lane accesses.
WS_INPUT_64(address)
// The number of the instruction.
WS_INPUT_32(site)
// The lane itself, as metadata keeps it; see `layout.h`.
WS_INPUT_64(self)
// The number that metadata has for the first warp of this launch.
WS_INPUT_32(base)
// The lanes that meet at a barrier of the warp.
WS_INPUT_32(mask)
// The first warp of the lane's block, counted in the grid, and the warps of a block.
WS_INPUT_32(first_warp)
WS_INPUT_32(warps_per_block)

// A mask of lanes to wait by, behind a loop or a call.
//
// Where paths have joined in the code, ptxas takes `activemask` for one value of the whole warp: lanes that come to a wait together
// all wait by the mask that one of them has. But lanes that have yielded, as in loops, are not waited for where paths join. They come
// later, with a mask of their own, and may join lanes of another mask that are not complete yet. These then do not wait for their
// others, which wait for them for ever. With a bit of `self`, which is never set, the mask is a value of each lane to ptxas.
static __device__ __forceinline__ u32 of_each_lane(u32 mask) { return mask | (u32)(in_self() >> 63); }
// The lanes that are here together, likewise.
static __device__ __forceinline__ u32 lanes_here() { return of_each_lane(__activemask()); }

static __device__ __forceinline__ void out_self(u64 self) {
    asm volatile("ws.out.b64 self, %0;" ::"l"(self) : "memory");
}

#define WS_CONTEXT_64(name, offset)                                                                \
    static __device__ __forceinline__ u64 context_##name() {                                       \
        u64 value;                                                                                 \
        asm("ws.ctx.b64 %0, " #offset ";" : "=l"(value));                                          \
        return value;                                                                              \
    }
#define WS_CONTEXT_32(name, offset)                                                                \
    static __device__ __forceinline__ u32 context_##name() {                                       \
        u32 value;                                                                                 \
        asm("ws.ctx.b32 %0, " #offset ";" : "=r"(value));                                          \
        return value;                                                                              \
    }

// The context of a launch: the last parameter of an instrumented kernel.
#include "context_layout.h"
