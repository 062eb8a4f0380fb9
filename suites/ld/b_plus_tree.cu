// Searches in a B+ tree, one for each thread, from the root down to the leaves, all of which are on the same level. A search
// that finds its key leaves its number at the record; one that does not leaves what is there, without a branch.
//
// Race 1: all blocks search for the keys of the first one. Race 2: each second warp searches for the keys of the warp before.
// Race 3: it searches for keys that are not there, next to those of the warp before.
//@ races: 3
#include "support/application.h"

#include <climits>

constexpr int THREADS = 1024;
constexpr int WARP = 32;
constexpr int ORDER = 16;
// Keys of records are so far apart that there are others between them.
constexpr int APART = 4;

template <int RACE>
__global__ void search(const int* keys, const int* children, const int* records, const int* queries, int* answers,
                       int* found_by, int root, int depth) {
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const int at = RACE == 1 ? threadIdx.x : RACE >= 2 ? thread & ~WARP : thread;
    const int query = queries[at] + (RACE == 3 && (thread & WARP) != 0 ? 1 : 0);
    int node = root;
    bool is_there = false;
    for (int level = 0; level < depth; ++level) {
        int child = 0;
        for (int key = 1; key < ORDER; ++key) {
            child += keys[node * ORDER + key] <= query ? 1 : 0;
        }
        is_there = keys[node * ORDER + child] == query;
        node = children[node * ORDER + child];
    }
    answers[thread] = is_there ? records[node] : 0;
    // Two numbers from 1 on differ from the zero that was there. LD does not see race 3, class 1 of section 4.7: one warp
    // writes its number, the other one what it has read, which in each pass is what would be there without it.
    found_by[node] = is_there ? thread + 1 : found_by[node];  //~ [race 1, 2] [hb, ld] race: missing-sync (with itself)  //~ [race 3] [hb] race: missing-sync (with itself)  //~ [race 3] [ld] clean
}

int main(int count, char** words) {
    const ld::Options options = ld::read_options(count, words, 3);
    const int blocks = options.is_paper ? 8 : 2;
    const int records = options.is_paper ? 942'080 : 16'384;
    // Levels of nodes, leaves first. A node has the first key of each child; what it has no child for comes behind all keys.
    std::vector<int> keys, children, values(records), firsts(records), below(records);
    ld::Numbers random(16);
    for (int record = 0; record < records; ++record) {
        values[record] = 1 + int(random.below(1'000'000));
        firsts[record] = record * APART;
        below[record] = record;
    }
    int depth = 0;
    for (; depth == 0 || below.size() > 1; ++depth) {
        std::vector<int> next_firsts, nodes;
        for (std::size_t first = 0; first < below.size(); first += ORDER) {
            next_firsts.push_back(firsts[first]);
            nodes.push_back(int(keys.size()) / ORDER);
            for (std::size_t child = first; child < first + ORDER; ++child) {
                keys.push_back(child < below.size() ? firsts[child] : INT_MAX);
                children.push_back(child < below.size() ? below[child] : below.back());
            }
        }
        firsts.swap(next_firsts);
        below.swap(nodes);
    }
    // Each search ends at another record, and each eighth does not find its key there.
    std::vector<int> wanted(blocks * THREADS), expected(blocks * THREADS), expected_by(records);
    for (int query = 0; query < int(wanted.size()); ++query) {
        const int record = int(query * 7919ll % records);
        const bool is_there = query % 8 != 7;
        wanted[query] = record * APART + (is_there ? 0 : 1);
        expected[query] = is_there ? values[record] : 0;
        expected_by[record] = is_there ? query + 1 : 0;
    }
    ld::Buffer<int> keys_(keys), children_(children), records_(values), queries(wanted);
    ld::Buffer<int> answers(wanted.size()), found_by(records);
    ld::repeat<3>("b_plus_tree", options, [&](auto race) {
        search<decltype(race)::value>
            <<<blocks, THREADS>>>(keys_.device(), children_.device(), records_.device(), queries.device(), answers.device(),
                                  found_by.device(), below[0], depth);
    });
    return ld::finish("b_plus_tree", options, answers.host() == expected && found_by.host() == expected_by);
}
