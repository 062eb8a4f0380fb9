// Parses documents of nested elements, turns each tree inside out and writes it as text again, the kind of
// DaCapo's xalan: one thread makes the documents, the others take them from a bounded queue, and all share a
// table of names that grows. Size: documents.

#include "bench.h"
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Element {
    const std::string *name = nullptr;
    std::string text;
    std::vector<std::unique_ptr<Element>> children;
};

// Every name is stored once.
class Names {
public:
    const std::string *get(const std::string &name) {
        {
            std::shared_lock<std::shared_mutex> guard(lock);
            auto found = names.find(name);
            if (found != names.end()) {
                return found->second.get();
            }
        }
        std::unique_lock<std::shared_mutex> guard(lock);
        auto &slot = names[name];
        if (!slot) {
            slot = std::make_unique<std::string>(name);
        }
        return slot.get();
    }

private:
    std::shared_mutex lock;
    std::unordered_map<std::string, std::unique_ptr<std::string>> names;
};

struct Document {
    long number;
    std::string text;
};

class Queue {
public:
    void put(std::unique_ptr<Document> document) {
        std::unique_lock<std::mutex> guard(lock);
        not_full.wait(guard, [this] { return documents.size() < 32; });
        documents.push_back(std::move(document));
        not_empty.notify_one();
    }
    void close() {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
        not_empty.notify_all();
    }
    bool full() {
        std::lock_guard<std::mutex> guard(lock);
        return documents.size() >= 32;
    }
    // Null when the queue is closed and empty, or empty and `wait` is false.
    std::unique_ptr<Document> take(bool wait) {
        std::unique_lock<std::mutex> guard(lock);
        if (wait) {
            not_empty.wait(guard, [this] { return closed || !documents.empty(); });
        }
        if (documents.empty()) {
            return nullptr;
        }
        auto document = std::move(documents.front());
        documents.pop_front();
        not_full.notify_one();
        return document;
    }

private:
    std::mutex lock;
    std::condition_variable not_empty, not_full;
    std::deque<std::unique_ptr<Document>> documents;
    bool closed = false;
};

Names names;
Queue queue;
std::vector<uint64_t> results;

void write_random(std::string *out, uint64_t *seed, int depth) {
    std::string name = "e" + std::to_string(bench_random(seed) % 200);
    *out += "<" + name + ">";
    int children = depth == 0 ? 0 : static_cast<int>(bench_random(seed) % 5) + 1;
    for (int i = 0; i < children; i++) {
        write_random(out, seed, depth - 1);
    }
    if (children == 0) {
        *out += std::to_string(bench_random(seed) % 100000);
    }
    *out += "</" + name + ">";
}

std::unique_ptr<Element> parse(const std::string &text, size_t *at) {
    auto element = std::make_unique<Element>();
    size_t end = text.find('>', *at);
    element->name = names.get(text.substr(*at + 1, end - *at - 1));
    *at = end + 1;
    while (text.compare(*at, 2, "</") != 0) {
        if (text[*at] == '<') {
            element->children.push_back(parse(text, at));
        } else {
            size_t next = text.find('<', *at);
            element->text += text.substr(*at, next - *at);
            *at = next;
        }
    }
    *at = text.find('>', *at) + 1;
    return element;
}

// Children in reverse order of their names, and empty branches gone.
void turn(Element *element) {
    for (auto &child : element->children) {
        turn(child.get());
    }
    std::stable_sort(element->children.begin(), element->children.end(),
                     [](const auto &a, const auto &b) { return *a->name > *b->name; });
    if (element->children.size() > 4) {
        element->children.pop_back();
    }
}

void write(const Element &element, std::string *out) {
    *out += "(" + *element.name + " " + element.text;
    for (const auto &child : element.children) {
        write(*child, out);
    }
    *out += ")";
}

void convert(const Document &document) {
    size_t at = 0;
    auto root = parse(document.text, &at);
    turn(root.get());
    std::string out;
    write(*root, &out);
    uint64_t sum = 0;
    for (char byte : out) {
        sum = sum * 1099511628211u + static_cast<unsigned char>(byte);
    }
    results[document.number] = sum;
}

void work(int self) {
    if (self == 0) {
        for (long number = 0; number < bench_size; number++) {
            auto document = std::make_unique<Document>();
            uint64_t seed = static_cast<uint64_t>(number) * 59 + 7;
            document->number = number;
            write_random(&document->text, &seed, 6);
            // A full queue is a reason to help. With one thread, nobody else would empty it.
            while (queue.full()) {
                if (auto other = queue.take(false)) {
                    convert(*other);
                }
            }
            queue.put(std::move(document));
        }
        queue.close();
    }
    while (auto document = queue.take(true)) {
        convert(*document);
    }
}

}  // namespace

int main(int argc, char **argv) {
    bench_options(argc, argv, 4000);
    results.resize(bench_size);
    bench_team(work);
    uint64_t sum = 0;
    for (uint64_t result : results) {
        sum = bench_mix(sum, result);
    }
    bench_result("transform", sum);
    return 0;
}
