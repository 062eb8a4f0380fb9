// RACY. The guard covers the initialisation of a static, not what is done with it afterwards.
#include "../support.h"

static int &counter() {
    static int the_counter = rand() % 2;
    return the_counter;
}

static void user() {
    int &mine = counter();
    mine++;  //~ race: data-race (with itself)
}

int main() {
    run_both(user, user);
    return 0;
}
