// Concurrent tables: linear probing with compare-and-swap, look-up, counting of words, packed pairs, a Bloom filter.
#include "support/check.cuh"

#include <map>
#include <set>

constexpr unsigned EMPTY = 0xFFFFFFFFu;

__host__ __device__ inline unsigned scramble(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// Two threads that insert the same key end in the same slot; the smallest value stays.
__global__ void table_insert(int n, const unsigned *keys, const unsigned *values, unsigned mask, unsigned *slots,
                             unsigned *smallest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned slot = scramble(keys[i]) & mask;
    while (true) {
        unsigned found = atomicCAS(&slots[slot], EMPTY, keys[i]);
        if (found == EMPTY || found == keys[i]) {
            atomicMin(&smallest[slot], values[i]);
            return;
        }
        slot = (slot + 1) & mask;
    }
}

__global__ void table_look_up(int n, const unsigned *keys, unsigned mask, const unsigned *slots,
                              const unsigned *smallest, unsigned *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned slot = scramble(keys[i]) & mask;
        while (slots[slot] != EMPTY && slots[slot] != keys[i]) {
            slot = (slot + 1) & mask;
        }
        found[i] = slots[slot] == keys[i] ? smallest[slot] : EMPTY;
    }
}

// Key in the upper half, count in the lower half of one word, changed together by 64-bit compare-and-swap.
__global__ void table_count_packed(int n, const unsigned *keys, unsigned mask, unsigned long long *slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned long long key = static_cast<unsigned long long>(keys[i] + 1) << 32;
    unsigned slot = scramble(keys[i]) & mask;
    unsigned long long expected = 0;
    while (true) {
        unsigned long long found = atomicCAS(&slots[slot], expected, expected == 0 ? key | 1 : expected + 1);
        if (found == expected) {
            return;
        }
        if (found >> 32 == key >> 32) {
            expected = found;
        } else {
            slot = (slot + 1) & mask;
            expected = 0;
        }
    }
}

__global__ void bloom_insert(int n, const unsigned *keys, unsigned *filter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (unsigned h = 0; h < 4; ++h) {
            unsigned bit = scramble(keys[i] + h * 0x9E3779B9u) & 16383;
            atomicOr(&filter[bit / 32], 1u << (bit % 32));
        }
    }
}

__global__ void bloom_query(int n, const unsigned *keys, const unsigned *filter, unsigned char *maybe) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bool all = true;
        for (unsigned h = 0; h < 4; ++h) {
            unsigned bit = scramble(keys[i] + h * 0x9E3779B9u) & 16383;
            all = all && (filter[bit / 32] >> (bit % 32) & 1) != 0;
        }
        maybe[i] = all;
    }
}

// A table of chains whose nodes come from a counter; the head of a chain is exchanged atomically.
__global__ void table_chain_insert(int n, const unsigned *keys, int *heads, int *next) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        next[i] = atomicExch(&heads[scramble(keys[i]) & 255], i);
    }
}

__global__ void table_chain_sums(const unsigned *keys, const int *heads, const int *next, unsigned *sums, int *lengths) {
    int chain = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    int length = 0;
    for (int node = heads[chain]; node >= 0; node = next[node]) {
        sum += keys[node];
        ++length;
    }
    sums[chain] = sum;
    lengths[chain] = length;
}

int main() {
    const int n = 6000, blocks = (n + 127) / 128;
    auto keys = check::integers<unsigned>(n, 191, 0, 4000), values = check::integers<unsigned>(n, 192, 0, 1000000);
    check::DeviceBuffer<unsigned> dkeys(keys), dvalues(values);
    {
        const unsigned size = 8192;
        check::DeviceBuffer<unsigned> slots(std::vector<unsigned>(size, EMPTY)), smallest(std::vector<unsigned>(size, EMPTY));
        table_insert<<<blocks, 128>>>(n, dkeys, dvalues, size - 1, slots, smallest);
        auto queries = check::integers<unsigned>(n, 193, 0, 8000);
        check::DeviceBuffer<unsigned> dqueries(queries), dfound(n);
        table_look_up<<<blocks, 128>>>(n, dqueries, size - 1, slots, smallest, dfound);
        std::map<unsigned, unsigned> table;
        for (int i = 0; i < n; ++i) {
            auto at = table.emplace(keys[i], values[i]).first;
            at->second = values[i] < at->second ? values[i] : at->second;
        }
        // Which slot a key gets depends on the order, so the slots are compared as a set of pairs.
        auto got_slots = slots.to_host(), got_smallest = smallest.to_host();
        std::map<unsigned, unsigned> got;
        for (unsigned s = 0; s < size; ++s) {
            if (got_slots[s] != EMPTY) {
                got[got_slots[s]] = got_smallest[s];
            }
        }
        std::vector<unsigned> flat_got, flat_expected, found(n);
        for (auto &pair : got) {
            flat_got.insert(flat_got.end(), {pair.first, pair.second});
        }
        for (auto &pair : table) {
            flat_expected.insert(flat_expected.end(), {pair.first, pair.second});
        }
        for (int i = 0; i < n; ++i) {
            auto at = table.find(queries[i]);
            found[i] = at == table.end() ? EMPTY : at->second;
        }
        check::exact("table_insert", flat_got, flat_expected);
        check::exact("table_look_up", dfound.to_host(), found);
    }
    {
        const unsigned size = 8192;
        check::DeviceBuffer<unsigned long long> slots(size);
        table_count_packed<<<blocks, 128>>>(n, dkeys, size - 1, slots);
        std::map<unsigned long long, unsigned long long> counts;
        for (auto key : keys) {
            ++counts[key + 1];
        }
        std::set<unsigned long long> got, expected;
        for (auto word : slots.to_host()) {
            if (word != 0) {
                got.insert(word);
            }
        }
        for (auto &pair : counts) {
            expected.insert(pair.first << 32 | pair.second);
        }
        check::exact("table_count_packed", std::vector<unsigned long long>(got.begin(), got.end()),
                     std::vector<unsigned long long>(expected.begin(), expected.end()));
    }
    {
        const int members = 1000;
        check::DeviceBuffer<unsigned> filter(512);
        check::DeviceBuffer<unsigned char> dmaybe(n);
        bloom_insert<<<8, 128>>>(members, dkeys, filter);
        bloom_query<<<blocks, 128>>>(n, dkeys, filter, dmaybe);
        std::vector<unsigned> bits(512);
        std::vector<unsigned char> maybe(n);
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < (pass == 0 ? members : n); ++i) {
                bool all = true;
                for (unsigned h = 0; h < 4; ++h) {
                    unsigned bit = scramble(keys[i] + h * 0x9E3779B9u) & 16383;
                    all = all && (bits[bit / 32] >> (bit % 32) & 1) != 0;
                    bits[bit / 32] |= pass == 0 ? 1u << (bit % 32) : 0;
                }
                maybe[i] = all;
            }
        }
        check::exact("bloom_insert", filter.to_host(), bits);
        check::exact("bloom_query", dmaybe.to_host(), maybe);
    }
    {
        check::DeviceBuffer<int> heads(std::vector<int>(256, -1)), next(n), lengths(256);
        check::DeviceBuffer<unsigned> sums(256);
        table_chain_insert<<<blocks, 128>>>(n, dkeys, heads, next);
        table_chain_sums<<<2, 128>>>(dkeys, heads, next, sums, lengths);
        std::vector<unsigned> expected_sums(256);
        std::vector<int> expected_lengths(256);
        for (auto key : keys) {
            expected_sums[scramble(key) & 255] += key;
            ++expected_lengths[scramble(key) & 255];
        }
        check::exact("table_chain_insert", sums.to_host(), expected_sums);
        check::exact("table_chain_sums", lengths.to_host(), expected_lengths);
    }
    return check::finish();
}
