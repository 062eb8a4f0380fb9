// RACY. The result of a task is read when the task was taken, not when it was done.
#include "../support.h"
#include <mutex>
#include <thread>

static std::mutex lock;
static bool taken;
int result;

static void worker() {
    {
        std::lock_guard<std::mutex> guard(lock);
        taken = true;
    }
    result = 1;
}

int main() {
    std::thread thread(worker);
    for (bool seen = false; !seen; std::this_thread::yield()) {
        std::lock_guard<std::mutex> guard(lock);
        seen = taken;
    }
    use(result);  //~ race: data-race (with line 15)
    thread.join();
    return 0;
}
