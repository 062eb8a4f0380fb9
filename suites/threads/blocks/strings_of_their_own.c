// CLEAN. Each thread copies, compares and joins strings of its own; the source is only read.
#include "../support.h"

static const char *volatile source = "words that both threads read";

static void worker(void) {
    char mine[128];
    strcpy(mine, source);
    strcat(mine, source);
    CHECK(strncmp(mine, source, strlen(source)) == 0);
    CHECK(strchr(mine, 'w') == mine);
}

int main(void) {
    run_both(worker, worker);
    return 0;
}
