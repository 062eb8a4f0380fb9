// hb on the device, for kernels whose blocks never meet: what stands around their instructions.
#include "hb_slots.h"
#include "hb_whole_lines.h"

// What a thread keeps of its asynchronous copies; what a copy reads, and how many bytes; and of how many groups copies may be pending behind a wait, of all ones
// where those are waited for that are in no group yet, too.
WS_INPUT_64(copies)
WS_INPUT_64(source)
WS_INPUT_32(source_bytes)
WS_INPUT_32(groups_left)

extern "C" __device__ __noinline__ void ws_hb_begin_copy(u64 head, u32 start, u32 stride, u32 address, u64 me, u32 base, u32 count, u64 names, u32 how, u32 shifts,
                                                         u32 lanes, u64 source, u32 source_bytes, u64 copies) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    begin_copy(who, {start, stride, shifts}, address, source, source_bytes, (Copies *)copies);
}

extern "C" __device__ __noinline__ void ws_hb_settle_copies(u64 head, u64 self, u32 start, u32 stride, u32 base, u32 count, u64 names, u32 shifts, u64 copies,
                                                            u32 groups_left) {
    settle_copies({(EntriesHead *)head, {base, count, names}, self, 0, 0}, {start, stride, shifts}, (Copies *)copies, groups_left);
}

extern "C" __device__ __noinline__ void ws_hb_leave_copies(u64 head, u64 self, u32 base, u32 count, u64 names, u64 copies) {
    leave_copies({(EntriesHead *)head, {base, count, names}, self, 0, 0}, (Copies *)copies);
}

// A thread begins without copies.
extern "C" __device__ void ws_hb_copies() {
    Copies *copies = (Copies *)in_copies();
    copies->begun = copies->settled = copies->group = 0;
}

extern "C" __device__ void ws_hb_copy() {
    ws_hb_begin_copy(context_entries(), context_shared_start(), context_shared_stride(), (u32)in_address(), own_entry(), in_base(), context_identities(),
                     context_names(), in_how(), in_shifts(), lanes_here(), in_source(), in_source_bytes(), in_copies());
}

extern "C" __device__ void ws_hb_copy_group() { ((Copies *)in_copies())->group++; }

extern "C" __device__ void ws_hb_copies_waited() {
    ws_hb_settle_copies(context_entries(), in_self(), context_shared_start(), context_shared_stride(), in_base(), context_identities(), context_names(),
                        in_shifts(), in_copies(), in_groups_left());
}

extern "C" __device__ void ws_hb_copies_left() {
    ws_hb_leave_copies(context_entries(), in_self(), in_base(), context_identities(), context_names(), in_copies());
}

// By a generic address: whose memory it is shows now. Local memory is each thread's own.
template <bool IS_CALLED, bool IS_UPDATE> static __device__ __forceinline__ void generic() {
    u64 me = own_entry(), address = in_address();
    bool is_shared = __isShared((const void *)address), is_global = !is_shared && __isGlobal((const void *)address);
    u32 lanes = lanes_here();
    u32 in_shared = __ballot_sync(lanes, is_shared);
    if (is_global) {
        if (IS_UPDATE) global_update();
        else by_words<IS_CALLED>(me);
    }
    if (is_shared) shared_access(me, (u32)__cvta_generic_to_shared((const void *)address), in_shared);
}

extern "C" __device__ void ws_hb_generic() { generic<false, false>(); }
extern "C" __device__ void ws_hb_generic_called() { generic<true, false>(); }
extern "C" __device__ void ws_hb_generic_update() { generic<false, true>(); }

// The kernel begins: a lane knows itself by its entry.
extern "C" __device__ void ws_hb_begin() {
    u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out_self((u64)(in_base() + (block << context_interval_bits())) << IDENTITY_PLACE | (u64)thread << LANE_PLACE);
}

// A lane by the halves of its entry: the identity is in the upper one. The compiler would take the halves for one number, which takes longer.
struct Halves {
    u32 low, high;

    __device__ __forceinline__ explicit Halves(u64 self) { asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(self)); }
    __device__ __forceinline__ u64 self() const {
        u64 self;
        asm("mov.b64 %0, {%1, %2};" : "=l"(self) : "r"(low), "r"(high));
        return self;
    }
    __device__ __forceinline__ u32 identity() const { return high >> (IDENTITY_PLACE - 32); }
    __device__ __forceinline__ void forget_identity() { high &= (1u << (IDENTITY_PLACE - 32)) - 1; }
    // The next interval of the block. A block that has no identity stays without one.
    __device__ __forceinline__ void step() {
        constexpr u32 STEP = 1u << (IDENTITY_PLACE - 32);
        low &= ~(u32)(EPOCH | WRAPPED);
        if (high >= STEP) high += STEP;
    }
    // 0 where a block had no identity left for its next interval: what it has is of the block behind it.
    __device__ __forceinline__ u32 interval() const { return identity() - in_base() & context_last_interval(); }
};

// All threads of the block have met. Lanes that have not reconverged behind a function that some of them have called do so here. A block that has no identities left is not
// checked from here on.
extern "C" __device__ void ws_hb_block_barrier() {
    Halves self(in_self());
    self.step();
    if (self.interval() == 0 && self.identity() != 0) {
        note_gap((EntriesHead *)context_entries(), GAP_INTERVALS);
        self.forget_identity();
    }
    out_self(self.self());
    __syncwarp();
}

// The same where entries have the lowest bits of identities alone, which are used again now and then. Some threads may have left, so that each one clears all entries.
extern "C" __device__ void ws_hb_block_barrier_of_owners() {
    Halves self(in_self());
    self.step();
    if (min(self.interval(), self.identity() % OWNER_INTERVALS) == 0 && self.identity() != 0) {
        if (self.interval() == 0) {
            note_gap((EntriesHead *)context_entries(), GAP_INTERVALS);
            self.forget_identity();
        } else {
            clear_shared(0, 1);
            asm volatile("barrier.sync 0;" ::: "memory");
        }
    }
    out_self(self.self());
    __syncwarp();
}

// All lanes of a tile have met. There are no more counts than the part of the epoch has, less all ones.
extern "C" __device__ void ws_hb_tile_barrier() {
    Launch launch = {0, 0, context_names()};
    u64 self = in_self(), part = launch.epoch_of_tile();
    u64 count = (self + (1ull << EPOCH_PLACE)) & part;
    bool is_again = count == part;
    out_self((self & ~part) | (is_again ? WRAPPED : count));
}

// All lanes of the warp have met, where tiles have barriers of their own.
extern "C" __device__ void ws_hb_warp_barrier_of_tiles() {
    constexpr u64 STEP = EPOCH_OF_TILE + (1ull << EPOCH_PLACE);
    u64 self = in_self(), count = (self & EPOCH & ~EPOCH_OF_TILE) + STEP;
    out_self((self & ~(EPOCH | WRAPPED)) | (count > EPOCH ? WHOLE_WRAPPED : count));
}

// All lanes of the warp have met.
extern "C" __device__ void ws_hb_warp_barrier() {
    u64 self = in_self();
    u64 epoch = (self + (1ull << EPOCH_PLACE)) & EPOCH;
    out_self((self & ~EPOCH) | epoch | (epoch == 0 ? WRAPPED : 0));
}
