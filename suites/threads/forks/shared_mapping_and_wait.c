// CLEAN. The parent reads the shared mapping when it has waited for the child.
//@ needs: shared-mappings
#include "../support.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    int *cells = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(cells != MAP_FAILED);
    cells[0] = 1;
    pid_t child = fork();
    if (child == 0) {
        cells[0]++;
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(cells[0] == 2);
    return 0;
}
