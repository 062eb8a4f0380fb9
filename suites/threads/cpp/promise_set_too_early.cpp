// RACY. The thread writes after it has set the promise.
#include "../support.h"
#include <future>
#include <thread>

int data;

int main() {
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::thread thread([&promise] {
        promise.set_value();
        data = 1;
    });
    future.get();
    use(data);  //~ race: data-race (with line 13)
    thread.join();
    return 0;
}
