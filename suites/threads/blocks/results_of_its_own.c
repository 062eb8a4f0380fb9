// CLEAN. Each thread has memory of its own for times, facts about files, folders and addresses; what they ask for is the same.
#include "../support.h"
#include <arpa/inet.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

static void ask(void) {
    struct timespec now;
    struct timeval day;
    struct stat facts;
    struct tm date;
    time_t seconds;
    char folder[4096], text[64], bytes[8];
    unsigned char address[16];
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0 && gettimeofday(&day, NULL) == 0 && time(&seconds) > 0);
    CHECK(fstat(0, &facts) == 0 || errno == EBADF);
    CHECK(getcwd(folder, sizeof folder) == folder && realpath("/", folder) == folder);
    CHECK(localtime_r(&seconds, &date) == &date && strftime(text, sizeof text, "%Y", &date) == 4);
    CHECK(inet_pton(AF_INET, "127.0.0.1", address) == 1);
    CHECK(strcmp(inet_ntop(AF_INET, address, text, sizeof text), "127.0.0.1") == 0);
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
}

int main(void) {
    run_both(ask, ask);
    return 0;
}
