// CLEAN. Neighbouring elements of a vector<char> are separate.
#include "../support.h"
#include <vector>

static std::vector<char> cells(64);

static void one() {
    for (int i = 0; i < 64; i += 2) {
        cells[i] = 1;
    }
}

static void other() {
    for (int i = 1; i < 64; i += 2) {
        cells[i] = 2;
    }
}

int main() {
    run_both(one, other);
    CHECK(cells[0] == 1 && cells[63] == 2);
    return 0;
}
