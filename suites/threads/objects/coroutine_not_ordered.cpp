// RACY. A thread resumes a coroutine, and main reads its promise without waiting.
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
    co_yield 1;
}

int main() {
    Task task = numbers();
    Task::promise_type &promise = task.handle.promise();
    std::thread thread([&task] { task.handle.resume(); });
    use(promise.value);  //~ race: data-race (with line 17)
    thread.join();
    task.handle.destroy();
    return 0;
}
