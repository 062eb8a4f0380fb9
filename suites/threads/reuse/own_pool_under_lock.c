// CLEAN. A pool with its own free list under a lock: a block's second user comes after the first.
#include "../support.h"

struct block {
    struct block *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block blocks[4];
static struct block *free_list;

static void user(void) {
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&lock);
        struct block *mine = free_list;
        free_list = mine->next;
        pthread_mutex_unlock(&lock);
        mine->value = i;
        pthread_mutex_lock(&lock);
        mine->next = free_list;
        free_list = mine;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        blocks[i].next = free_list;
        free_list = &blocks[i];
    }
    run_both(user, user);
    return 0;
}
