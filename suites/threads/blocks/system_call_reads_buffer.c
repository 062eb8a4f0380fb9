// RACY. write(2) reads a buffer that another thread fills.
#include "../support.h"
#include <fcntl.h>
#include <unistd.h>

char buffer[64];
static int sink;

static void sender(void) {
    CHECK(write(sink, buffer, sizeof buffer) == sizeof buffer);
}

static void filler(void) {
    buffer[30] = 'x';  //~ race: data-race (with line 10)
}

int main(void) {
    sink = open("/dev/null", O_WRONLY);
    run_both(sender, filler);
    return 0;
}
