// RACY. snprintf writes a buffer whose last character another thread reads; what it had no room for is not written.
#include "../support.h"

char text[16];
volatile double number = 2.5;

static void printer(void) {
    CHECK(snprintf(text, 12, "%d and %s and %.2f and %ld", 1, "two", number, 4L) == 24);
}

static void reader(void) {
    use(text[11]);  //~ race: data-race (with line 8)
    use(text[12]);
}

int main(void) {
    run_both(printer, reader);
    CHECK(strcmp(text, "1 and two a") == 0);
    return 0;
}
