// CLEAN. A child without threads changes its copy of the memory.
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

int data = 1;

int main(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        data = 2;
        _exit(data == 2 ? 0 : 1);
    }
    data = 3;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(data == 3);
    return 0;
}
