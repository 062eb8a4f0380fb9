// CLEAN. A sum by divide and conquer: each half in a thread of its own, joined before the halves are added.
#include "../support.h"

enum { CELLS = 1024 };
int cells[CELLS];

struct range {
    int from, to;
    long sum;
};

static void *add(void *argument) {
    struct range *all = (struct range *)argument;
    if (all->to - all->from <= 128) {
        all->sum = 0;
        for (int i = all->from; i < all->to; i++) {
            all->sum += cells[i];
        }
        return NULL;
    }
    int middle = (all->from + all->to) / 2;
    struct range left = {all->from, middle, 0};
    struct range right = {middle, all->to, 0};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, add, &left) == 0);
    add(&right);
    join(thread);
    all->sum = left.sum + right.sum;
    return NULL;
}

int main(void) {
    for (int i = 0; i < CELLS; i++) {
        cells[i] = i;
    }
    struct range all = {0, CELLS, 0};
    add(&all);
    CHECK(all.sum == CELLS * (CELLS - 1L) / 2);
    return 0;
}
