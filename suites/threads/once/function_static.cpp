// CLEAN. The compiler guards the initialisation of a static in a function.
#include "../support.h"

struct Table {
    int cells[16];
    Table() {
        for (int i = 0; i < 16; i++) {
            cells[i] = i * i;
        }
    }
};

static Table &table() {
    static Table the_table;
    return the_table;
}

static void user() {
    CHECK(table().cells[5] == 25);
}

int main() {
    run_both(user, user);
    return 0;
}
