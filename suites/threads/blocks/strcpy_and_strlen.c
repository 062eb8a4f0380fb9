// RACY. strcpy writes a string whose length another thread takes.
#include "../support.h"

char name[64];
const char *volatile new_name = "a name that is long enough";

static void renamer(void) {
    strcpy(name, new_name);
}

static void reader(void) {
    use((long)strlen(name));  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(renamer, reader);
    return 0;
}
