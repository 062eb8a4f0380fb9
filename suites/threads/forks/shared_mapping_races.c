// RACY. Parent and child write one cell of a shared mapping.
//@ needs: shared-mappings
#include "../support.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    int *cells = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(cells != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        cells[0] = 1;
        exit(0);
    }
    cells[0] = 2;  //~ race: data-race (with line 14)
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return 0;
}
