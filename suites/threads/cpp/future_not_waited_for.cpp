// RACY. A wait_for that says timeout has waited for nothing.
#include "../support.h"
#include <chrono>
#include <future>

int data;

int main() {
    std::future<void> future = std::async(std::launch::async, [] {
        data = 1;
        reached(1);
        await(2);
    });
    await(1);
    CHECK(future.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
    use(data);  //~ race: data-race (with line 10)
    reached(2);
    future.get();
    return 0;
}
