// CLEAN. A coroutine begins in main, goes on in a thread, and is finished by main after the join.
//@ flags: -std=c++20
#include "../support.h"
#include <coroutine>
#include <exception>
#include <thread>

struct Task {
    struct promise_type {
        int value = 0;
        Task get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next) {
            value = next;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

static Task numbers() {
    int local = 1;
    co_yield local;
    local++;
    co_yield local;
    local++;
    co_yield local;
}

int main() {
    Task task = numbers();
    task.handle.resume();
    std::thread thread([&task] { task.handle.resume(); });
    thread.join();
    CHECK(task.handle.promise().value == 2);
    task.handle.resume();
    CHECK(task.handle.promise().value == 3);
    task.handle.destroy();
    return 0;
}
