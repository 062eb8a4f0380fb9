// RACY. The parent uses the half of its child before it has joined it.
#include "../support.h"

int halves[2];

static void left(void) {
    halves[0] = 1;
}

int main(void) {
    pthread_t child = spawn(left);
    halves[1] = 2;
    use(halves[0] + halves[1]);  //~ race: data-race (with line 7)
    join(child);
    return 0;
}
