// RACY. Each pair meets at its own barrier: the pairs are not ordered with each other.
#include "../support.h"

static pthread_barrier_t left;
static pthread_barrier_t right;
int data;

static void left_writer(void) {
    data = 1;
    pthread_barrier_wait(&left);
}

static void left_other(void) {
    pthread_barrier_wait(&left);
}

static void right_reader(void) {
    pthread_barrier_wait(&right);
    use(data);  //~ race: data-race (with line 9)
}

static void right_other(void) {
    pthread_barrier_wait(&right);
}

int main(void) {
    pthread_barrier_init(&left, NULL, 2);
    pthread_barrier_init(&right, NULL, 2);
    pthread_t threads[4] = {spawn(left_writer), spawn(left_other), spawn(right_reader), spawn(right_other)};
    for (int i = 0; i < 4; i++) {
        join(threads[i]);
    }
    return 0;
}
