// A store of keys in a B-tree with a latch in each node, the kind of BerkeleyDB: lookups take the latches on
// their way down for reading, the next before the last is given back; inserts take them for writing and split
// full nodes on the way. Size: thousands of operations. Much memory.

#include "bench.h"
#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace {

constexpr int kOrder = 32;

struct Node {
    std::shared_mutex latch;
    bool leaf = true;
    int used = 0;
    uint64_t keys[kOrder];
    uint64_t values[kOrder];
    Node *children[kOrder + 1];
};

// The latch of the root pointer: a split of the root puts a new node there.
std::shared_mutex root_latch;
Node *root = new Node;
std::atomic<long> next_batch{0};
std::atomic<uint64_t> found{0};
long batches;
constexpr int kBatch = 100;

int place_of(const Node &node, uint64_t key) {
    int low = 0, high = node.used;
    while (low < high) {
        int middle = (low + high) / 2;
        if (node.keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Splits the full child at `place`; both latches are held for writing.
void split_child(Node *parent, int place) {
    Node *left = parent->children[place];
    Node *right = new Node;
    const int half = kOrder / 2;
    right->leaf = left->leaf;
    right->used = kOrder - half - 1;
    for (int i = 0; i < right->used; i++) {
        right->keys[i] = left->keys[half + 1 + i];
        right->values[i] = left->values[half + 1 + i];
    }
    if (!left->leaf) {
        for (int i = 0; i <= right->used; i++) {
            right->children[i] = left->children[half + 1 + i];
        }
    }
    left->used = half;
    for (int i = parent->used; i > place; i--) {
        parent->keys[i] = parent->keys[i - 1];
        parent->values[i] = parent->values[i - 1];
        parent->children[i + 1] = parent->children[i];
    }
    parent->keys[place] = left->keys[half];
    parent->values[place] = left->values[half];
    parent->children[place + 1] = right;
    parent->used++;
}

// Adds to the value of a key, which is put into the tree where it is not there yet.
void add(uint64_t key, uint64_t value) {
    std::unique_lock<std::shared_mutex> above(root_latch);
    std::unique_lock<std::shared_mutex> here(root->latch);
    Node *node = root;
    if (node->used == kOrder) {
        Node *grown = new Node;
        grown->leaf = false;
        grown->children[0] = node;
        split_child(grown, 0);
        root = grown;
        node = grown;
        // Nobody can have come here yet: that takes the latch of the root pointer.
        here.unlock();
        here = std::unique_lock<std::shared_mutex>(grown->latch);
    }
    while (true) {
        above = std::unique_lock<std::shared_mutex>();
        int place = place_of(*node, key);
        if (place < node->used && node->keys[place] == key) {
            node->values[place] += value;
            return;
        }
        if (node->leaf) {
            for (int i = node->used; i > place; i--) {
                node->keys[i] = node->keys[i - 1];
                node->values[i] = node->values[i - 1];
            }
            node->keys[place] = key;
            node->values[place] = value;
            node->used++;
            return;
        }
        Node *child = node->children[place];
        std::unique_lock<std::shared_mutex> next(child->latch);
        if (child->used == kOrder) {
            split_child(node, place);
            next.unlock();
            continue;
        }
        above = std::move(here);
        here = std::move(next);
        node = child;
    }
}

bool contains(uint64_t key) {
    std::shared_lock<std::shared_mutex> above(root_latch);
    std::shared_lock<std::shared_mutex> here(root->latch);
    Node *node = root;
    above.unlock();
    while (true) {
        int place = place_of(*node, key);
        if (place < node->used && node->keys[place] == key) {
            return true;
        }
        if (node->leaf) {
            return false;
        }
        node = node->children[place];
        std::shared_lock<std::shared_mutex> next(node->latch);
        here = std::move(next);
    }
}

void work(int) {
    uint64_t mine = 0;
    for (long batch; (batch = next_batch.fetch_add(1, std::memory_order_relaxed)) < batches;) {
        uint64_t seed = static_cast<uint64_t>(batch) * 61 + 1;
        for (int i = 0; i < kBatch; i++) {
            uint64_t key = bench_random(&seed) % (static_cast<uint64_t>(batches) * kBatch / 2);
            add(key, seed % 1000);
            // What this thread has put in is there; what nobody puts in is not.
            mine += contains(key);
            mine += contains(~key);
        }
    }
    found.fetch_add(mine);
}

uint64_t checksum(const Node *node, uint64_t sum) {
    for (int i = 0; i <= node->used; i++) {
        if (!node->leaf) {
            sum = checksum(node->children[i], sum);
        }
        if (i < node->used) {
            sum = bench_mix(bench_mix(sum, node->keys[i]), node->values[i]);
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char **argv) {
    bench_options(argc, argv, 1500);
    batches = bench_size * 1000 / kBatch;
    bench_team(work);
    bench_result("btree", bench_mix(checksum(root, 0), found.load()));
    return 0;
}
