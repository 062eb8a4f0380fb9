// CLEAN. Two threads walk a list with a lock in each node, and take the next lock before they give back the last.
#include "../support.h"

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node nodes[20];

static void walk(void) {
    struct node *at = &nodes[0];
    pthread_mutex_lock(&at->lock);
    while (1) {
        at->value++;
        struct node *next = at->next;
        if (next == NULL) {
            break;
        }
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
    pthread_mutex_unlock(&at->lock);
}

int main(void) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_init(&nodes[i].lock, NULL);
        nodes[i].next = i < 19 ? &nodes[i + 1] : NULL;
    }
    run_both(walk, walk);
    CHECK(nodes[19].value == 2);
    return 0;
}
