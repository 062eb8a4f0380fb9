// Stream compaction, run-length encoding, string search (direct and by automaton), base 64, edit distance.
#include "support/check.cuh"

#include <string>

// Offset of this thread among the kept ones of a block of 256.
__device__ int kept_before(bool keep, int *warp_counts, int &all) {
    unsigned votes = __ballot_sync(0xFFFFFFFFu, keep);
    if (threadIdx.x % 32 == 0) {
        warp_counts[threadIdx.x / 32] = __popc(votes);
    }
    __syncthreads();
    int before = __popc(votes & ((1u << (threadIdx.x % 32)) - 1));
    all = 0;
    for (int w = 0; w < 8; ++w) {
        before += w < threadIdx.x / 32 ? warp_counts[w] : 0;
        all += warp_counts[w];
    }
    return before;
}

__global__ void compact_count(int n, const int *in, int *counts) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int kept = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = kept;
    }
}

__global__ void compact_write(int n, const int *in, const int *offsets, int *out) {
    __shared__ int warp_counts[8];
    int i = blockIdx.x * 256 + threadIdx.x, all;
    bool keep = i < n && in[i] > 0;
    int before = kept_before(keep, warp_counts, all);
    if (keep) {
        out[offsets[blockIdx.x] + before] = in[i];
    }
}

// One block encodes one line: heads of runs are numbered by a scan, their distance is the length.
__global__ void run_length_encode(const unsigned char *in, unsigned char *values, int *lengths, int *runs) {
    __shared__ unsigned char line[256];
    __shared__ int starts[257];
    __shared__ int warp_counts[8];
    int t = threadIdx.x, base = blockIdx.x * 256;
    line[t] = in[base + t];
    __syncthreads();
    bool head = t == 0 || line[t] != line[t - 1];
    int all, mine = kept_before(head, warp_counts, all);
    if (head) {
        starts[mine] = t;
        values[base + mine] = line[t];
    }
    if (t == 0) {
        starts[all] = 256;
        runs[blockIdx.x] = all;
    }
    __syncthreads();
    if (t < all) {
        lengths[base + t] = starts[t + 1] - starts[t];
    }
}

__constant__ char needle[8];

__global__ void string_search_direct(int n, int length, const char *text, int *matches, int *first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) {
        return;
    }
    for (int k = 0; k < length; ++k) {
        if (text[i + k] != needle[k]) {
            return;
        }
    }
    atomicAdd(matches, 1);
    atomicMin(first, i);
}

// Knuth, Morris and Pratt: every thread walks its own piece, which overlaps the next by the length less one.
__global__ void string_search_automaton(int n, int length, int piece, const char *text, const int *failure, int *matches) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * piece, end = min(n, begin + piece + length - 1);
    int state = 0, found = 0;
    for (int i = begin; i < end; ++i) {
        while (state > 0 && text[i] != needle[state]) {
            state = failure[state - 1];
        }
        state += text[i] == needle[state];
        if (state == length) {
            ++found;
            state = failure[state - 1];
        }
    }
    if (found > 0) {
        atomicAdd(matches, found);
    }
}

__device__ const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(int triples, const unsigned char *in, uchar4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < triples) {
        unsigned word = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        out[i] = make_uchar4(base64_digits[word >> 18], base64_digits[word >> 12 & 63], base64_digits[word >> 6 & 63],
                             base64_digits[word & 63]);
    }
}

// The distances of one anti-diagonal depend on the two before it only.
__global__ void edit_distance(const char *left, const char *right, int *distances) {
    __shared__ short diagonal[3][65];
    int i = threadIdx.x;
    left += blockIdx.x * 64;
    right += blockIdx.x * 64;
    for (int d = 0; d <= 128; ++d) {
        int j = d - i;
        if (j >= 0 && j <= 64) {
            int best;
            if (i == 0 || j == 0) {
                best = i + j;
            } else {
                const short *before = diagonal[(d + 2) % 3], *two_before = diagonal[(d + 1) % 3];
                best = min(before[i - 1], before[i]) + 1;
                best = min(best, two_before[i - 1] + (left[i - 1] != right[j - 1]));
            }
            diagonal[d % 3][i] = static_cast<short>(best);
        }
        __syncthreads();
    }
    if (i == 64) {
        distances[blockIdx.x] = diagonal[128 % 3][64];
    }
}

int main() {
    {
        const int n = 20001, blocks = (n + 255) / 256;
        auto in = check::integers<int>(n, 251, -100, 60);
        check::DeviceBuffer<int> din(in), dcounts(blocks);
        compact_count<<<blocks, 256>>>(n, din, dcounts);
        auto counts = dcounts.to_host();
        std::vector<int> expected_counts(blocks), offsets(blocks), out;
        for (int i = 0; i < n; ++i) {
            if (in[i] > 0) {
                out.push_back(in[i]);
                ++expected_counts[i / 256];
            }
        }
        for (int b = 1; b < blocks; ++b) {
            offsets[b] = offsets[b - 1] + expected_counts[b - 1];
        }
        check::exact("compact_count", counts, expected_counts);
        check::DeviceBuffer<int> doffsets(offsets), dout(out.size());
        compact_write<<<blocks, 256>>>(n, din, doffsets, dout);
        check::exact("compact_write", dout.to_host(), out);
    }
    {
        const int lines = 20;
        auto in = check::integers<unsigned char>(lines * 256, 252, 0, 1);
        check::DeviceBuffer<unsigned char> din(in), dvalues(lines * 256);
        check::DeviceBuffer<int> dlengths(lines * 256), druns(lines);
        run_length_encode<<<lines, 256>>>(din, dvalues, dlengths, druns);
        std::vector<unsigned char> values(lines * 256);
        std::vector<int> lengths(lines * 256), runs(lines);
        for (int i = 0; i < lines * 256; ++i) {
            int line = i / 256;
            if (i % 256 == 0 || in[i] != in[i - 1]) {
                values[line * 256 + runs[line]++] = in[i];
            }
            ++lengths[line * 256 + runs[line] - 1];
        }
        check::exact("run_length_encode_values", dvalues.to_host(), values);
        check::exact("run_length_encode_lengths", dlengths.to_host(), lengths);
        check::exact("run_length_encode_runs", druns.to_host(), runs);
    }
    {
        const int n = 30000;
        auto letters = check::integers<char>(n, 253, 'a', 'c');
        std::string text(letters.begin(), letters.end()), pattern = "abacab";
        char padded[8] = {};
        std::memcpy(padded, pattern.data(), pattern.size());
        REQUIRE_SUCCESS(cudaMemcpyToSymbol(needle, padded, sizeof(padded)));
        check::DeviceBuffer<char> dtext(letters);
        check::DeviceBuffer<int> matches(1), first(std::vector<int>{n}), automaton_matches(1);
        string_search_direct<<<(n + 255) / 256, 256>>>(n, 6, dtext, matches, first);
        int expected = 0, expected_first = n;
        for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1)) {
            expected_first = expected == 0 ? static_cast<int>(at) : expected_first;
            ++expected;
        }
        check::exact("string_search_direct", std::vector<int>{matches.to_host()[0], first.to_host()[0]},
                     std::vector<int>{expected, expected_first});
        std::vector<int> failure(6);
        for (int i = 1, k = 0; i < 6; ++i) {
            while (k > 0 && pattern[i] != pattern[k]) {
                k = failure[k - 1];
            }
            k += pattern[i] == pattern[k];
            failure[i] = k;
        }
        check::DeviceBuffer<int> dfailure(failure);
        string_search_automaton<<<5, 64>>>(n, 6, 100, dtext, dfailure, automaton_matches);
        check::exact("string_search_automaton", automaton_matches.to_host(), std::vector<int>{expected});
    }
    {
        const int triples = 3000;
        auto in = check::patterns<unsigned char>(triples * 3, 254);
        check::DeviceBuffer<unsigned char> din(in), dout(triples * 4);
        base64_encode<<<(triples + 127) / 128, 128>>>(triples, din, reinterpret_cast<uchar4 *>((unsigned char *)dout));
        const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::vector<unsigned char> out(triples * 4);
        for (int o = 0; o < triples * 4; ++o) {
            int bits = 0;
            for (int bit = o * 6; bit < o * 6 + 6; ++bit) {
                bits = bits * 2 + (in[bit / 8] >> (7 - bit % 8) & 1);
            }
            out[o] = digits[bits];
        }
        check::exact("base64_encode", dout.to_host(), out);
    }
    {
        const int pairs = 12;
        auto left = check::integers<char>(pairs * 64, 255, 'a', 'd'), right = check::integers<char>(pairs * 64, 256, 'a', 'd');
        check::DeviceBuffer<char> dleft(left), dright(right);
        check::DeviceBuffer<int> ddistances(pairs);
        edit_distance<<<pairs, 65>>>(dleft, dright, ddistances);
        std::vector<int> distances(pairs);
        for (int p = 0; p < pairs; ++p) {
            std::vector<std::vector<int>> d(65, std::vector<int>(65));
            for (int i = 0; i <= 64; ++i) {
                for (int j = 0; j <= 64; ++j) {
                    if (i == 0 || j == 0) {
                        d[i][j] = i + j;
                    } else {
                        int edit = d[i - 1][j - 1] + (left[p * 64 + i - 1] != right[p * 64 + j - 1]);
                        d[i][j] = std::min(edit, std::min(d[i - 1][j], d[i][j - 1]) + 1);
                    }
                }
            }
            distances[p] = d[64][64];
        }
        check::exact("edit_distance", ddistances.to_host(), distances);
    }
    return check::finish();
}
