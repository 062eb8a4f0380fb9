// RACY. The walker gives the lock of a node back and touches the node once more.
#include "../support.h"

struct node {
    pthread_mutex_t lock;
    int value;
};

static struct node nodes[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void first(void) {
    pthread_mutex_lock(&nodes[0].lock);
    pthread_mutex_lock(&nodes[1].lock);
    pthread_mutex_unlock(&nodes[0].lock);
    nodes[0].value = 1;
    pthread_mutex_unlock(&nodes[1].lock);
    reached(1);
}

static void second(void) {
    await(1);
    pthread_mutex_lock(&nodes[0].lock);
    nodes[0].value = 2;  //~ race: data-race (with line 15)
    pthread_mutex_unlock(&nodes[0].lock);
}

int main(void) {
    run_both(first, second);
    return 0;
}
