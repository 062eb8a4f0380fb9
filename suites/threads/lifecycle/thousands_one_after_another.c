// CLEAN. Three thousand threads one after another, each joined before the next one starts.
#include "../support.h"

int data;

static void worker(void) {
    data++;
}

int main(void) {
    for (int i = 0; i < 3000; i++) {
        join(spawn(worker));
    }
    CHECK(data == 3000);
    return 0;
}
