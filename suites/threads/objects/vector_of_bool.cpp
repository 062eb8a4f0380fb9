// RACY. Neighbouring elements of a vector<bool> are bits of one word.
#include "../support.h"
#include <vector>

static std::vector<bool> bits(64);

static void one() {
    bits[3] = true;
}

static void other() {
    bits[4] = true;  //~ race: data-race (with line 8)
}

int main() {
    run_both(one, other);
    return 0;
}
