// CLEAN. std::thread with arguments and a result by reference.
#include "../support.h"
#include <functional>
#include <string>
#include <thread>

static void work(const std::string &text, int &result) {
    result = static_cast<int>(text.size());
}

int main() {
    int result = 0;
    std::thread thread(work, "five!", std::ref(result));
    thread.join();
    CHECK(result == 5);
    return 0;
}
