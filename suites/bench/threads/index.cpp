// Indexes documents and searches them, the kinds of DaCapo's luindex and lusearch: threads take documents, put
// words into an index in shards, and after a barrier answer queries without locks. Size: documents.

#include "bench.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kShards = 32;
constexpr int kWordsOfDocument = 250;
constexpr int kVocabulary = 20000;

struct Posting {
    int document;
    int count;
};

struct Shard {
    std::mutex lock;
    std::unordered_map<std::string, std::vector<Posting>> postings;
};

std::vector<Shard> shards(kShards);
std::atomic<long> next_document{0};
std::atomic<int> next_shard{0};
std::atomic<long> next_query{0};
std::vector<uint64_t> answers;

// Rare words are rare: the square of a random number favours the small ones.
std::string make_word(uint64_t *seed) {
    double unit = bench_random_unit(seed);
    int number = static_cast<int>(unit * unit * kVocabulary);
    std::string word;
    for (int rest = number + 26; rest > 0; rest /= 26) {
        word.push_back(static_cast<char>('a' + rest % 26));
    }
    return word;
}

Shard &shard_of(const std::string &word) {
    return shards[std::hash<std::string>()(word) % kShards];
}

void index_document(int document) {
    uint64_t seed = static_cast<uint64_t>(document) * 43 + 5;
    std::string text;
    for (int i = 0; i < kWordsOfDocument; i++) {
        text += make_word(&seed);
        text.push_back(' ');
    }
    std::unordered_map<std::string, int> counts;
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find(' ', at);
        counts[text.substr(at, end - at)]++;
        at = end + 1;
    }
    for (const auto &[word, count] : counts) {
        Shard &shard = shard_of(word);
        std::lock_guard<std::mutex> guard(shard.lock);
        shard.postings[word].push_back({document, count});
    }
}

void sort_shard(Shard &shard) {
    for (auto &[word, postings] : shard.postings) {
        std::sort(postings.begin(), postings.end(),
                  [](const Posting &a, const Posting &b) { return a.document < b.document; });
    }
}

// Documents that have both words, weighed by the counts.
uint64_t answer(long query) {
    uint64_t seed = static_cast<uint64_t>(query) * 47 + 9;
    std::string one = make_word(&seed), other = make_word(&seed);
    const auto &first = shard_of(one).postings, &second = shard_of(other).postings;
    auto a = first.find(one), b = second.find(other);
    if (a == first.end() || b == second.end()) {
        return 0;
    }
    uint64_t score = 0;
    size_t i = 0, j = 0;
    while (i < a->second.size() && j < b->second.size()) {
        const Posting &left = a->second[i], &right = b->second[j];
        if (left.document < right.document) {
            i++;
        } else if (left.document > right.document) {
            j++;
        } else {
            score += static_cast<uint64_t>(left.document) * (left.count + right.count);
            i++;
            j++;
        }
    }
    return score;
}

void work(int) {
    for (long document; (document = next_document.fetch_add(1, std::memory_order_relaxed)) < bench_size;) {
        index_document(static_cast<int>(document));
    }
    bench_meet();
    for (int shard; (shard = next_shard.fetch_add(1, std::memory_order_relaxed)) < kShards;) {
        sort_shard(shards[shard]);
    }
    bench_meet();
    long queries = static_cast<long>(answers.size());
    for (long query; (query = next_query.fetch_add(1, std::memory_order_relaxed)) < queries;) {
        answers[query] = answer(query);
    }
}

}  // namespace

int main(int argc, char **argv) {
    bench_options(argc, argv, 15000);
    answers.resize(bench_size * 2);
    bench_team(work);
    uint64_t sum = 0;
    for (uint64_t answer : answers) {
        sum = bench_mix(sum, answer);
    }
    bench_result("index", sum);
    return 0;
}
