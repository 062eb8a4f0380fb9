// What LD's sweeps cost over the size of the data and the number of threads (the paper's figure 9), and what fusion saves: the kernels
// that warpsan ships, beside the same work as one kernel for each step. Prints a table; the two forms must leave the same memory.
//
//     nvcc -arch=sm_90 -O3 -o fusion suites/gpu/ld/fusion.cu && ./fusion
#include "../../../crates/instrument/device/ld_sweeps.cu"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

static void expect(cudaError_t result) {
    if (result == cudaSuccess) return;
    fprintf(stderr, "fusion: %s\n", cudaGetErrorString(result));
    exit(1);
}

// One kernel for each step; what it finds goes to memory for the next one. Marks are the bytes that copies changed.
struct Separate {
    Sweep sweep;
    u64 marks, all;
};

__global__ void detect_writes(Separate separate) {
    const Sweep &sweep = separate.sweep;
    for_each_granule<BY_THREADS>(sweep, [&](const Granule &granule) {
        uint4 state = get(granule.address);
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += granule.apart) {
            uint4 own = get(copy_at(sweep, copy, granule.offset));
            u32 changed[4];
#pragma unroll
            for (u32 word = 0; word < 4; word++) changed[word] = differing(word_of(own, word), word_of(state, word)) & granule.valid[word];
            put(separate.marks + copy * sweep.stride + granule.offset, as_granule(changed));
        }
    });
}

__global__ void check_conflicts(Separate separate) {
    const Sweep &sweep = separate.sweep;
    for_each_granule<ALONE>(sweep, [&](const Granule &granule) {
        u32 written[4] = {0, 0, 0, 0};
        for (u32 copy = 0; copy < sweep.grouping.copies; copy++) {
            uint4 changed = get(separate.marks + copy * sweep.stride + granule.offset);
#pragma unroll
            for (u32 word = 0; word < 4; word++) {
                u32 both = word_of(changed, word) & written[word];
                if (both) found(sweep, WRITE_WRITE, granule.address + 4 * word, copy);
                written[word] |= word_of(changed, word);
            }
        }
    });
}

__global__ void make_union(Separate separate) {
    const Sweep &sweep = separate.sweep;
    for_each_granule<ALONE>(sweep, [&](const Granule &granule) {
        uint4 state = get(granule.address);
        u32 all[4] = {state.x, state.y, state.z, state.w};
        for (u32 copy = 0; copy < sweep.grouping.copies; copy++) {
            uint4 changed = get(separate.marks + copy * sweep.stride + granule.offset);
            uint4 own = get(copy_at(sweep, copy, granule.offset));
#pragma unroll
            for (u32 word = 0; word < 4; word++) all[word] = blended(all[word], word_of(own, word), word_of(changed, word));
        }
        put(separate.all + granule.offset, as_granule(all));
    });
}

__global__ void second_state(Separate separate) {
    const Sweep &sweep = separate.sweep;
    for_each_granule<BY_THREADS>(sweep, [&](const Granule &granule) {
        uint4 state = get(granule.address), all = get(separate.all + granule.offset);
        for (u32 copy = granule.first_copy; copy < sweep.grouping.copies; copy += granule.apart) {
            uint4 changed = get(separate.marks + copy * sweep.stride + granule.offset);
            u32 second[4];
#pragma unroll
            for (u32 word = 0; word < 4; word++) second[word] = blended(word_of(all, word), word_of(state, word), word_of(changed, word));
            put(copy_at(sweep, copy, granule.offset), as_granule(second));
        }
    });
}

__global__ void copy_back(Separate separate) {
    for_each_granule<ALONE>(separate.sweep, [&](const Granule &granule) { put_valid(granule, granule.address, get(separate.all + granule.offset)); });
}

// A pass: every copy changes its share of the words, the first one to the first word and so on.
__global__ void write_shares(Sweep sweep, u64 words) {
    u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x, threads = (u64)gridDim.x * blockDim.x;
    for (u64 word = thread; word < words; word += threads) {
        u32 *own = (u32 *)copy_at(sweep, word % sweep.grouping.copies, 0);
        own[word] += 0x01010101 * (u32)(word % 7 + 1);
    }
}

struct Bench {
    u64 bytes;
    u32 copies, threads, blocks;
    char *data, *all_copies, *originals, *marks, *all;
    Head *head;
    Sweep sweep;

    Bench(u64 bytes, u32 copies, u32 threads, u32 blocks) : bytes(bytes), copies(copies), threads(threads), blocks(blocks) {
        expect(cudaMalloc(&data, bytes));
        expect(cudaMalloc(&originals, bytes));
        expect(cudaMalloc(&all, bytes));
        expect(cudaMalloc(&all_copies, bytes * copies));
        expect(cudaMalloc(&marks, bytes * copies));
        expect(cudaMalloc(&head, sizeof(Head)));
        std::vector<char> first(sizeof(Head));
        Head *host = (Head *)first.data();
        for (u64 &key : host->keys) key = NOTHING;
        host->target_count = 1;
        host->targets[0] = {(u64)data, bytes, 0, 0};
        expect(cudaMemcpy(head, host, sizeof(Head), cudaMemcpyHostToDevice));
        sweep = {};
        sweep.head = (u64)head;
        sweep.copies = (u64)all_copies;
        sweep.originals = (u64)originals;
        sweep.stride = bytes;
        sweep.grouping.power = copies;
        sweep.grouping.copies = copies;
        sweep.grouping.count = copies;
        sweep.flags = FIRST;
        sweep.step = 1;
    }

    ~Bench() {
        for (void *memory : {(void *)data, (void *)originals, (void *)all, (void *)all_copies, (void *)marks, (void *)head}) cudaFree(memory);
    }

    Separate separate() const { return {sweep, (u64)marks, (u64)all}; }

    // As before a union, or with one as before a comparison.
    void prepare(bool after_union = false) const {
        expect(cudaMemset(data, 1, bytes));
        ws_ld_begin<<<blocks, threads>>>(sweep);
        write_shares<<<blocks, threads>>>(sweep, bytes / 4);
        if (after_union) {
            ws_ld_union<<<blocks, threads>>>(sweep);
            write_shares<<<blocks, threads>>>(sweep, bytes / 4);
        }
        expect(cudaDeviceSynchronize());
    }

    // The median in microseconds.
    double time(const std::function<void()> &what, bool after_union = false) const {
        std::vector<float> times;
        cudaEvent_t from, to;
        expect(cudaEventCreate(&from));
        expect(cudaEventCreate(&to));
        for (int repeat = 0; repeat < 10; repeat++) {
            prepare(after_union);
            expect(cudaEventRecord(from));
            what();
            expect(cudaEventRecord(to));
            expect(cudaEventSynchronize(to));
            float milliseconds = 0;
            expect(cudaEventElapsedTime(&milliseconds, from, to));
            times.push_back(milliseconds);
        }
        expect(cudaEventDestroy(from));
        expect(cudaEventDestroy(to));
        std::sort(times.begin(), times.end());
        return times[times.size() / 2] * 1000;
    }

    void steps() const {
        Separate all_of = separate();
        detect_writes<<<blocks, threads>>>(all_of);
        check_conflicts<<<blocks, threads>>>(all_of);
        make_union<<<blocks, threads>>>(all_of);
        second_state<<<blocks, threads>>>(all_of);
        copy_back<<<blocks, threads>>>(all_of);
    }

    std::vector<char> memory() const {
        std::vector<char> both(bytes * (copies + 1));
        expect(cudaMemcpy(both.data(), data, bytes, cudaMemcpyDeviceToHost));
        expect(cudaMemcpy(both.data() + bytes, all_copies, bytes * copies, cudaMemcpyDeviceToHost));
        return both;
    }

    bool agree() const {
        prepare();
        ws_ld_union<<<blocks, threads>>>(sweep);
        auto fused = memory();
        prepare();
        steps();
        auto apart = memory();
        return fused == apart && !has_found();
    }

    // No two copies changed the same, and second passes are as the first.
    bool has_found() const {
        std::vector<char> memory(sizeof(Head));
        expect(cudaMemcpy(memory.data(), head, sizeof(Head), cudaMemcpyDeviceToHost));
        const Head *found = (const Head *)memory.data();
        return *std::min_element(found->keys, found->keys + KEYS) != NOTHING;
    }
};

int main() {
    cudaDeviceProp device;
    expect(cudaGetDeviceProperties(&device, 0));
    u32 multiprocessors = device.multiProcessorCount, copies = 32;
    printf("| data KiB | threads of a block | blocks | first state us | union us | five kernels us | fusion saves | comparison us |\n|---|---|---|---|---|---|---|---|\n");
    bool all_agree = Bench(1 << 20, copies, 256, multiprocessors).agree();
    auto row = [&](u64 bytes, u32 threads, u32 blocks) {
        Bench bench(bytes, copies, threads, blocks);
        double first = bench.time([&] { ws_ld_begin<<<blocks, threads>>>(bench.sweep); });
        double fused = bench.time([&] { ws_ld_union<<<blocks, threads>>>(bench.sweep); });
        double apart = bench.time([&] { bench.steps(); });
        double compared = bench.time([&] { ws_ld_compare<<<blocks, threads>>>(bench.sweep); }, true);
        all_agree &= !bench.has_found();
        printf("| %llu | %u | %u | %.1f | %.1f | %.1f | %.0f %% | %.1f |\n", bytes >> 10, threads, blocks, first, fused, apart, 100 * (1 - fused / apart), compared);
    };
    for (u64 bytes = 8 << 10; bytes <= 32 << 20; bytes *= 4) row(bytes, 256, multiprocessors * 8);
    for (u32 threads = 32; threads < 256; threads *= 2) row(32 << 20, threads, multiprocessors * 8);
    row(32 << 20, 256, 1);
    if (!all_agree) printf("the two forms differ, or found what is not there\n");
    return all_agree ? 0 : 1;
}
