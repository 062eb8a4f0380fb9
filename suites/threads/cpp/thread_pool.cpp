// CLEAN. A pool of three threads with a queue of functions.
#include "../support.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int size) {
        for (int i = 0; i < size; i++) {
            threads.emplace_back([this] { run(); });
        }
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(lock);
            closed = true;
        }
        changed.notify_all();
        for (std::thread &thread : threads) {
            thread.join();
        }
    }
    void submit(std::function<void()> task) {
        {
            std::lock_guard<std::mutex> guard(lock);
            tasks.push_back(std::move(task));
        }
        changed.notify_one();
    }

private:
    void run() {
        while (true) {
            std::unique_lock<std::mutex> guard(lock);
            changed.wait(guard, [this] { return closed || !tasks.empty(); });
            if (tasks.empty()) {
                return;
            }
            std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            guard.unlock();
            task();
        }
    }

    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool closed = false;
    std::vector<std::thread> threads;
};

int main() {
    std::vector<int> results(100);
    {
        Pool pool(3);
        for (int i = 0; i < 100; i++) {
            pool.submit([&results, i] { results[i] = i * i; });
        }
    }
    CHECK(results[99] == 99 * 99);
    return 0;
}
