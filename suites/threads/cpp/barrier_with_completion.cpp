// CLEAN. std::barrier: the completion function runs between the phases.
//@ flags: -std=c++20
#include "../support.h"
#include <barrier>
#include <thread>

int parts[2];
int sum;

static void add() noexcept {
    sum += parts[0] + parts[1];
}

int main() {
    std::barrier barrier(2, add);
    auto work = [&barrier](int self) {
        for (int phase = 1; phase <= 20; phase++) {
            parts[self] = phase;
            barrier.arrive_and_wait();
            CHECK(sum == phase * (phase + 1));
        }
    };
    std::jthread one(work, 0);
    std::jthread other(work, 1);
    one.join();
    other.join();
    return 0;
}
