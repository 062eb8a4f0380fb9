// Accesses of shared memory.
#pragma once
#include "hb_copies.h"
#include "hb_inputs.h"
#include "hb_owners.h"

// Shared memory has its entries behind it, in the block itself.
static __device__ __forceinline__ u32 shared_entries(u32 address, u32 granule_shift, u32 entry_shift) {
    // Such an access is aligned.
    if (granule_shift == entry_shift) return address + context_shared_stride();
    u32 offset = address - context_shared_start();
    return context_shared_start() + context_shared_stride() + (offset >> granule_shift << entry_shift);
}

// `start` and `stride` are where the block's own memory begins and how large it is, and `shifts` those of a granule and its entries.
extern "C" __device__ __noinline__ void ws_hb_shared(u64 head, u32 start, u32 stride, u32 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count,
                                                     u64 names, u32 how, u32 shifts, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me | (how & VOLATILE ? IS_VOLATILE : 0), lanes, how | IN_SHARED};
    Stored stored = {value, value_bytes};
    SharedPlaces places = {start, stride, shifts};
    Location location = places.at(address);
    u32 granule = places.granule(), entry = 1u << places.entry_shift(), granules = ((how >> BYTES_PLACE) + granule - 1) / granule;
#pragma unroll 1
    for (u32 index = 0; index < granules; index++, address += granule) {
        if (how & UPDATES) {
            update_location(who, address, location);
        } else {
            if (how & WRITES) write_location(who, address, location, stored);
            else read_location(who, address, location);
            if (how & HAS_UPDATES) judge_updates(who, address, location);
        }
        location = {location.writer + entry, location.reader + entry, location.updater + entry, location.witness + 2};
    }
}

static __device__ __forceinline__ void shared_access(u64 me, u32 address, u32 lanes) {
    ws_hb_shared(context_entries(), context_shared_start(), context_shared_stride(), address, me, in_value(), in_value_bytes(), in_base(), context_identities(),
                 context_names(), in_how(), in_shifts(), lanes);
}

// An access of shared memory of any kind.
extern "C" __device__ void ws_hb_shared_any() {
    u32 lanes = lanes_here();
    shared_access(own_entry(), (u32)in_address(), lanes);
    reconverge(lanes);
}

// Entries behind shared memory, by addresses of shared memory.
static __device__ __forceinline__ u64 read_shared(u32 place) {
    u64 entry;
    asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(entry) : "r"(place) : "memory");
    return entry;
}

static __device__ __forceinline__ u64 swap_shared(u32 place, u64 expected, u64 wanted) {
    u64 found;
    asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(found) : "r"(place), "l"(expected), "l"(wanted) : "memory");
    return found;
}

static __device__ __forceinline__ u64 exchange_shared(u32 place, u64 wanted) {
    u64 found;
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(found) : "r"(place), "l"(wanted) : "memory");
    return found;
}

// An update of one granule whose result nobody gets. Once several warps have updated it in this interval, or several lanes of this warp in this epoch, whoever reads or
// writes it races with one of these, and finds that.
extern "C" __device__ void ws_hb_shared_update() {
    u64 me = own_entry();
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    u64 found = read_shared(place + 16);
    u64 several = found & (LEVEL | NOT_RETURNED);
    bool is_done = identity_of(found) == identity_of(me) &&
                   (several == (WARPS | NOT_RETURNED) || (several == (LANES | NOT_RETURNED) && ((found ^ me) & (EPOCH | WARP_BITS)) == 0));
    u32 lanes = lanes_here();
    u32 others = __ballot_sync(lanes, !is_done);
    if (!is_done) shared_access(me, (u32)in_address(), others);
    reconverge(lanes);
}

// What a store of one granule has replaced, where that was not simply older.
extern "C" __device__ __noinline__ void ws_hb_shared_stored(u64 head, u32 address, u64 me, u64 before, u64 value, u32 value_bytes, u32 base,
                                                            u32 count, u64 names, u32 how, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    judge_writers(who, address, before, {value, value_bytes});
}

// A store of one granule that no load shares an interval with.
extern "C" __device__ void ws_hb_shared_store() {
    u64 me = own_entry();
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    u64 before = exchange_shared(place, me);
    // Of an earlier interval, or this lane's own.
    bool is_done = identity_of(before) != identity_of(me) || ((before ^ me) & ~SITE) == 0;
    u32 lanes = lanes_here();
    if (!__any_sync(lanes, !is_done)) return;
    ws_hb_shared_stored(context_entries(), (u32)in_address(), me, before, in_value(), in_value_bytes(), in_base(), context_identities(), context_names(),
                        in_how(), lanes);
}

// What an owner's entry was before.
WS_INPUT_32(before)

static __device__ __forceinline__ void out_before(u32 before) { asm volatile("ws.out.b32 before, %0;" ::"r"(before) : "memory"); }

// A store of one granule where entries say who stored last alone, in three steps: many of them are entered before all lanes ask whether there is more to do.
extern "C" __device__ void ws_hb_enter_owner() {
    u32 owner = owner_of_self(in_self()) | (in_site() + 1);
    u32 before = exchange_owner(shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift()), owner);
    out_before(before);
    out_left(min(in_left(), dispute(before, owner)));
}

// Whether one of the lanes has something to judge. That of a whole warp is asked for by a constant mask, which takes less.
extern "C" __device__ void ws_hb_owners_left() {
    u32 lanes = lanes_here();
    bool is_left = in_left() < DISPUTED;
    if (lanes == ~0u) is_left = __any_sync(of_each_lane(~0u), is_left);
    else is_left = __any_sync(lanes, is_left);
    out_left(is_left);
}

extern "C" __device__ void ws_hb_judge_owner() {
    u64 me = own_entry();
    ws_hb_shared_stored(context_entries(), (u32)in_address(), me, writer_of(in_before(), me), in_value(), in_value_bytes(), in_base(), context_identities(),
                        context_names(), in_how(), lanes_here());
}

// A store of several granules. `place` is where the entry of the first one is.
extern "C" __device__ __noinline__ void ws_hb_shared_own(u64 head, u32 place, u32 granule, u32 address, u64 me, u64 value, u32 value_bytes, u32 base, u32 count,
                                                         u64 names, u32 how, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
#pragma unroll 1
    for (u32 offset = 0; offset < how >> BYTES_PLACE; offset += granule, place += 4)
        judge_writers(who, address + offset, writer_of(exchange_owner(place, owner_of(me)), me), {value, value_bytes});
}

extern "C" __device__ void ws_hb_shared_owners() {
    u32 address = (u32)in_address();
    ws_hb_shared_own(context_entries(), shared_entries(address, in_granule_shift(), in_entry_shift()), 1u << in_granule_shift(), address, own_entry(), in_value(),
                     in_value_bytes(), in_base(), context_identities(), context_names(), in_how(), lanes_here());
}

// The interval of an access, as if it were a launch: what is of earlier ones of the block says nothing.
static __device__ __forceinline__ Launch interval_of(u64 me, u64 names) { return {identity_of(me), 1, names}; }

// Whether two accesses of the block do not race. They conflict, and may not have seen each other.
static __device__ __forceinline__ bool are_ordered(const Launch &interval, u64 one, u64 other) {
    return interval.is_old(one) || interval.is_old(other) || !is_unordered(interval, one & ~LEVEL, other & ~LEVEL);
}

constexpr u64 IS_LEFT = 0, IS_DONE = 1;

// A load of a granule that others have accessed in this interval. Whether nothing is left to be said; if there is, who had read before, or nobody has joined them yet. It
// calls nobody, so that it needs no memory for registers.
extern "C" __device__ __noinline__ u64 ws_hb_shared_joined(u32 address, u32 start, u32 stride, u32 shifts, u64 me, u64 names) {
    SharedPlaces places = {start, stride, shifts};
    u32 first = address - start >> places.granule_shift(), behind = start + stride;
    u32 place = behind + (first << places.entry_shift()), sites = behind + (stride >> places.granule_shift() << places.entry_shift());
    Launch interval = interval_of(me, names);
    u64 reader = read_shared(place + 8);
#pragma unroll 1
    for (u32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        u64 wanted = joined(interval, reader, me), now = reader;
        if (wanted != reader) {
            keep_site((u64)__cvta_shared_to_generic(sites + first * 2), reader, wanted, me);
            now = swap_shared(place + 8, reader, wanted);
        }
        if (now == reader) {
            u64 writer = read_shared(place);
            bool is_quiet = interval.is_old(writer) || (!is_unordered(interval, writer, me) && are_ordered(interval, writer, reader));
            return is_quiet ? IS_DONE : interval.is_old(reader) ? me : reader;
        }
        reader = now;
    }
    return IS_LEFT;
}

// What is left to be said of such a load.
extern "C" __device__ __noinline__ void ws_hb_shared_loaded(u64 head, u32 start, u32 stride, u32 address, u64 me, u64 before, u32 base, u32 count, u64 names, u32 how,
                                                            u32 shifts, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    SharedPlaces places = {start, stride, shifts};
    Location location = places.at(address);
    judge_read(who, address, before == IS_LEFT ? join_readers(who, location.reader, location.witness) : before, location.writer);
}

// A load of one granule.
extern "C" __device__ void ws_hb_shared_load() {
    u64 me = own_entry(), writer, reader;
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    asm volatile("ld.volatile.shared.v2.b64 {%0, %1}, [%2];" : "=l"(writer), "=l"(reader) : "r"(place) : "memory");
    bool is_done = false;
    if (identity_of(writer) != identity_of(me)) {
        is_done = ((reader ^ me) & ~SITE) == 0;
        if (identity_of(reader) != identity_of(me)) is_done = swap_shared(place + 8, reader, me) == reader && read_shared(place) == writer;
    }
    u32 address = (u32)in_address(), shifts = in_shifts();
    u64 before = IS_DONE;
    if (!is_done) before = ws_hb_shared_joined(address, context_shared_start(), context_shared_stride(), shifts, me, context_names());
    u32 lanes = lanes_here();
    u32 others = __ballot_sync(lanes, before != IS_DONE);
    if (before != IS_DONE)
        ws_hb_shared_loaded(context_entries(), context_shared_start(), context_shared_stride(), address, me, before, in_base(), context_identities(), context_names(),
                            in_how(), shifts, others);
    reconverge(lanes);
}

// Whether a store races with nobody, and those whom it has found do not race with each other. They are of this interval, or earlier. It calls nobody.
extern "C" __device__ __noinline__ u32 ws_hb_shared_quiet(u64 me, u64 before, u64 reader, u64 names) {
    Launch interval = interval_of(me, names);
    bool is_quiet = interval.is_old(reader) || !is_unordered(interval, reader, me);
    return is_quiet && are_ordered(interval, before, me) && are_ordered(interval, before, reader);
}

// What there is to say of a store.
extern "C" __device__ __noinline__ void ws_hb_shared_written(u64 head, u32 start, u32 stride, u32 address, u64 me, u64 before, u64 reader, u64 value, u32 value_bytes,
                                                             u32 base, u32 count, u64 names, u32 how, u32 shifts, u32 lanes) {
    Accessor who = {(EntriesHead *)head, {base, count, names}, me, lanes, how | IN_SHARED};
    SharedPlaces places = {start, stride, shifts};
    judge_write(who, address, before, reader, places.at(address).witness, {value, value_bytes});
}

// A store of one granule that loads share an interval with.
extern "C" __device__ void ws_hb_shared_write() {
    u64 me = own_entry();
    u32 place = shared_entries((u32)in_address(), in_granule_shift(), in_entry_shift());
    u64 before = exchange_shared(place, me), reader = read_shared(place + 8);
    bool is_done = identity_of(before) != identity_of(me) && identity_of(reader) != identity_of(me);
    if (!is_done) is_done = ws_hb_shared_quiet(me, before, reader, context_names());
    u32 lanes = lanes_here();
    if (!__any_sync(lanes, !is_done)) return;
    ws_hb_shared_written(context_entries(), context_shared_start(), context_shared_stride(), (u32)in_address(), me, before, reader, in_value(), in_value_bytes(), in_base(),
                         context_identities(), context_names(), in_how(), in_shifts(), lanes);
}

// The thread's number in its block, and how many there are.
static __device__ __forceinline__ u32 number_of_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static __device__ __forceinline__ u32 threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

// Clears the entries of shared memory, as the thread of a number among so many.
static __device__ __forceinline__ void clear_shared(u32 thread, u32 threads) {
    u32 start = context_shared_start() + context_shared_stride(), bytes = context_shared_stride() >> in_granule_shift() << in_entry_shift();
    for (u32 offset = thread * 16; offset < bytes; offset += threads * 16)
        asm volatile("st.shared.v2.b64 [%0], {%1, %1};" ::"r"(start + offset), "l"(0ull) : "memory");
}

// The entries of shared memory begin empty.
extern "C" __device__ void ws_hb_begin_shared() {
    clear_shared(number_of_thread(), threads_of_block());
    asm volatile("bar.sync 0;" ::: "memory");
}
