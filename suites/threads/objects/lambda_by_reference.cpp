// RACY. Two lambdas have captured one variable by reference.
#include "../support.h"
#include <thread>

int main() {
    int sum = 0;
    std::thread one([&sum] {
        sum += 1;
    });
    std::thread other([&sum] {
        sum += 2;  //~ race: data-race (with line 8)
    });
    one.join();
    other.join();
    use(sum);
    return 0;
}
