// An in-memory bank with transactions, the kind of DaCapo's h2: each transaction locks its records in the order
// of their numbers, moves money, writes a log, and now and then reads a whole range under a lock of the table.
// Size: thousands of transactions.

#include "bench.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kRecords = 20000;
constexpr int kBuckets = 64;

struct Record {
    std::mutex lock;
    long balance = 1000;
    long version = 0;
    std::string owner;
};

// Owners by name, in buckets with a lock each.
struct Bucket {
    std::shared_mutex lock;
    std::unordered_map<std::string, std::vector<int>> rows;
};

struct LogEntry {
    long transaction;
    int from, to, amount;
};

std::vector<Record> records(kRecords);
std::vector<Bucket> owners(kBuckets);
std::shared_mutex table_lock;
std::mutex log_lock;
std::vector<LogEntry> log_entries;
std::atomic<long> next_transaction{0};
std::atomic<long> rows_found{0};
long transactions;

Bucket &bucket_of(const std::string &owner) {
    return owners[std::hash<std::string>()(owner) % kBuckets];
}

std::string owner_name(uint64_t number) {
    return "owner-" + std::to_string(number % 500);
}

void move_money(long transaction, uint64_t *seed) {
    int rows[3];
    for (int &row : rows) {
        row = static_cast<int>(bench_random(seed) % kRecords);
    }
    int amount = static_cast<int>(bench_random(seed) % 100);
    int sorted[3] = {rows[0], rows[1], rows[2]};
    std::sort(sorted, sorted + 3);
    int *end = std::unique(sorted, sorted + 3);
    for (int *row = sorted; row != end; row++) {
        records[*row].lock.lock();
    }
    records[rows[0]].balance -= 2 * amount;
    records[rows[1]].balance += amount;
    records[rows[2]].balance += amount;
    for (int *row = sorted; row != end; row++) {
        records[*row].version++;
        records[*row].lock.unlock();
    }
    std::lock_guard<std::mutex> guard(log_lock);
    log_entries.push_back({transaction, rows[0], rows[1], amount});
}

void find_rows(uint64_t *seed) {
    std::string owner = owner_name(bench_random(seed));
    Bucket &bucket = bucket_of(owner);
    std::shared_lock<std::shared_mutex> guard(bucket.lock);
    auto found = bucket.rows.find(owner);
    if (found != bucket.rows.end()) {
        rows_found.fetch_add(static_cast<long>(found->second.size()), std::memory_order_relaxed);
    }
}

// The sum over all records is the same at all times; who adds it up keeps all transactions out.
void audit() {
    std::unique_lock<std::shared_mutex> guard(table_lock);
    long total = 0;
    for (Record &record : records) {
        total += record.balance;
    }
    if (total != 1000L * kRecords) {
        std::fprintf(stderr, "database: money came or went\n");
        std::exit(1);
    }
}

void work(int) {
    while (true) {
        long transaction = next_transaction.fetch_add(1, std::memory_order_relaxed);
        if (transaction >= transactions) {
            return;
        }
        uint64_t seed = static_cast<uint64_t>(transaction) * 41 + 3;
        if (transaction % 5000 == 4999) {
            audit();
            continue;
        }
        std::shared_lock<std::shared_mutex> guard(table_lock);
        if (transaction % 3 == 0) {
            find_rows(&seed);
        } else {
            move_money(transaction, &seed);
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    bench_options(argc, argv, 8000);
    transactions = bench_size * 1000;
    for (int row = 0; row < kRecords; row++) {
        records[row].owner = owner_name(static_cast<uint64_t>(row) * 7919);
        bucket_of(records[row].owner).rows[records[row].owner].push_back(row);
    }
    bench_team(work);
    uint64_t sum = 0;
    for (Record &record : records) {
        sum = bench_mix(bench_mix(sum, record.balance), record.version);
    }
    std::sort(log_entries.begin(), log_entries.end(),
              [](const LogEntry &a, const LogEntry &b) { return a.transaction < b.transaction; });
    for (const LogEntry &entry : log_entries) {
        sum = bench_mix(sum, entry.amount + 100 * entry.from);
    }
    bench_result("database", bench_mix(sum, rows_found.load()));
    return 0;
}
