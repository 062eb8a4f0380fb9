// RACY. The destructor of a static object runs while a detached thread uses the object.
#include "../support.h"

struct Log {
    volatile int lines = 0;
    ~Log() {
        lines = -1;
    }
};

static Log the_log;

static void worker() {
    the_log.lines = 1;  //~ race: data-race (with line 7)
    reached(1);
    await(2);
}

int main() {
    pthread_detach(spawn(worker));
    await(1);
    use(reinterpret_cast<long>(&the_log));
    return 0;
}
