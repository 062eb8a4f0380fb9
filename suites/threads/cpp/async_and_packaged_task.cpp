// CLEAN. std::async, packaged_task and shared_future.
#include "../support.h"
#include <future>
#include <thread>

int data;

int main() {
    std::future<int> started = std::async(std::launch::async, [] { return ++data; });
    CHECK(started.get() == 1);
    CHECK(data == 1);
    std::packaged_task<int(int)> task([](int x) { return data += x; });
    std::shared_future<int> result = task.get_future().share();
    std::thread runner(std::move(task), 2);
    std::thread reader([result] { CHECK(result.get() == 3 && data == 3); });
    CHECK(result.get() == 3);
    CHECK(data == 3);
    runner.join();
    reader.join();
    return 0;
}
