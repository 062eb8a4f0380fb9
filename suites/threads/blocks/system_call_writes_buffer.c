// RACY. read(2) fills a buffer that another thread reads.
#include "../support.h"
#include <fcntl.h>
#include <unistd.h>

char buffer[64];
static int zeros;

static void receiver(void) {
    CHECK(read(zeros, buffer, sizeof buffer) == sizeof buffer);
}

static void reader(void) {
    use(buffer[30]);  //~ race: data-race (with line 10)
}

int main(void) {
    zeros = open("/dev/zero", O_RDONLY);
    run_both(receiver, reader);
    return 0;
}
