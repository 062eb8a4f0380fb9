// RACY. Two threads ask for facts about a file, and leave them in the same structure.
#include "../support.h"
#include <sys/stat.h>

struct stat facts;

static void ask(void) {
    CHECK(stat("/", &facts) == 0);  //~ race: data-race (with itself)
}

int main(void) {
    run_both(ask, ask);
    CHECK(S_ISDIR(facts.st_mode));
    return 0;
}
