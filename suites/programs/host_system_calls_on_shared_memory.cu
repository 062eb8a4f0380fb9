// Calls of the system read and write page-locked and managed memory while a kernel works on other memory; none of them fails.
// verdict: clean
#include "check.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

constexpr size_t PAGE = 4096;
constexpr size_t PAGES = 256;

__global__ void count(int* numbers) {
    numbers[threadIdx.x]++;
}

static int* numbers;
static char* shared_memory;
static size_t next_page;
static int wrong;
static int done;

// Memory in pages of its own.
template <class Thing> static Thing* room(size_t things = 1) {
    size_t bytes = things * sizeof(Thing);
    size_t pages = (bytes + PAGE - 1) / PAGE;
    if (next_page + pages > PAGES) {
        std::printf("there is no room\n");
        std::exit(1);
    }
    char* place = shared_memory + next_page * PAGE;
    next_page += pages;
    return reinterpret_cast<Thing*>(place);
}

static char* text(const std::string& words) {
    char* place = room<char>(words.size() + 1);
    std::strcpy(place, words.c_str());
    return place;
}

static void launch() {
    count<<<1, 32>>>(numbers);
    CHECK(cudaGetLastError());
}

static void judge(bool is_right, const char* what) {
    done++;
    if (!is_right) {
        wrong++;
        std::printf("wrong: %s (%s)\n", what, std::strerror(errno));
    }
}

// Work is in flight, and all memory closed, when the call is made.
#define EXPECT(condition)              \
    do {                               \
        launch();                      \
        errno = 0;                     \
        bool is_right = (condition);   \
        judge(is_right, #condition);   \
    } while (false)

static void files(const std::string& folder) {
    char* path = text(folder + "/file");
    char* other = text(folder + "/other");
    char* sub = text(folder + "/folder");
    int file = -1;
    EXPECT((file = open(path, O_RDWR | O_CREAT, 0600)) >= 0);
    char* words = text("some words");
    EXPECT(write(file, words, 10) == 10);
    char* back = room<char>(PAGE);
    EXPECT(pread(file, back, 10, 0) == 10 && std::memcmp(back, "some words", 10) == 0);
    iovec* pieces = room<iovec>(2);
    char* first = room<char>(PAGE);
    char* second = room<char>(PAGE);
    pieces[0] = {first, 4};
    pieces[1] = {second, 6};
    EXPECT(preadv(file, pieces, 2, 0) == 10 && second[1] == 'w' && first[0] == 's');
    EXPECT(pwritev(file, pieces, 2, 10) == 10);
    struct stat* status = room<struct stat>();
    EXPECT(stat(path, status) == 0 && status->st_size == 20);
    EXPECT(lstat(path, status) == 0 && status->st_size == 20);
    EXPECT(fstat(file, status) == 0 && status->st_size == 20);
    EXPECT(fstatat(AT_FDCWD, path, status, 0) == 0 && status->st_size == 20);
    struct statx* more = room<struct statx>();
    EXPECT(statx(AT_FDCWD, path, 0, STATX_SIZE, more) == 0 && more->stx_size == 20);
    struct statfs* system = room<struct statfs>();
    EXPECT(statfs(path, system) == 0 && system->f_bsize > 0);
    EXPECT(fstatfs(file, system) == 0 && system->f_bsize > 0);
    EXPECT(access(path, R_OK) == 0);
    EXPECT(faccessat(AT_FDCWD, path, R_OK, 0) == 0);
    EXPECT(chmod(path, 0640) == 0);
    EXPECT(truncate(path, 15) == 0);
    timespec* times = room<timespec>(2);
    times[0] = times[1] = {1000, 0};
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0);
    EXPECT(futimens(file, times) == 0);
    EXPECT(link(path, other) == 0);
    EXPECT(unlink(other) == 0);
    EXPECT(symlink(path, other) == 0);
    EXPECT(readlink(other, back, PAGE) == ssize_t(std::strlen(path)));
    EXPECT(readlinkat(AT_FDCWD, other, back, PAGE) == ssize_t(std::strlen(path)));
    EXPECT(unlinkat(AT_FDCWD, other, 0) == 0);
    EXPECT(rename(path, other) == 0);
    EXPECT(renameat(AT_FDCWD, other, AT_FDCWD, path) == 0);
    EXPECT(mkdir(sub, 0700) == 0);
    EXPECT(rmdir(sub) == 0);
    EXPECT(mkfifo(sub, 0600) == 0);
    EXPECT(remove(sub) == 0);
    EXPECT(chdir(text(folder)) == 0);
    EXPECT(getcwd(back, PAGE) == back && back[0] == '/');
    DIR* listed = nullptr;
    EXPECT((listed = opendir(text(folder))) != nullptr);
    if (listed != nullptr) {
        EXPECT(readdir(listed) != nullptr);
        closedir(listed);
    }
    FILE* stream = nullptr;
    EXPECT((stream = fopen(path, "r+")) != nullptr);
    if (stream != nullptr) {
        EXPECT(fread(back, 1, 15, stream) == 15 && back[5] == 'w');
        EXPECT(fseek(stream, 0, SEEK_SET) == 0 && fgets(back, 5, stream) != nullptr && back[3] == 'e');
        char* large = room<char>(3 * PAGE);
        EXPECT(fseek(stream, 0, SEEK_SET) == 0 && fwrite(large, 1, 3 * PAGE, stream) == 3 * PAGE && fflush(stream) == 0);
        fclose(stream);
    }
    char* temporary = text(folder + "/XXXXXX");
    int made = -1;
    EXPECT((made = mkstemp(temporary)) >= 0);
    off_t* offset = room<off_t>();
    *offset = 0;
    EXPECT(sendfile(made, file, offset, 10) == 10 && *offset == 10);
    loff_t* to = room<loff_t>();
    *to = 0;
    *offset = 0;
    EXPECT(copy_file_range(file, offset, made, to, 10, 0) == 10 && *to == 10);
    EXPECT(unlink(temporary) == 0);
    struct flock* lock = room<struct flock>();
    *lock = {};
    lock->l_type = F_WRLCK;
    lock->l_whence = SEEK_SET;
    EXPECT(fcntl(file, F_SETLK, lock) == 0);
    EXPECT(fcntl(file, F_GETLK, lock) == 0 && lock->l_type == F_UNLCK);
    int kept = -1;
    EXPECT((kept = memfd_create(text("kept"), 0)) >= 0);
    close(kept);
    close(made);
    close(file);
    EXPECT(unlink(path) == 0);
    EXPECT(open(path, O_RDONLY) == -1 && errno == ENOENT);
}

static void sockets(const std::string& folder) {
    int* both = room<int>(2);
    EXPECT(pipe(both) == 0);
    int source = both[0], target = both[1];
    char* words = text("through a pipe");
    char* back = room<char>(PAGE);
    EXPECT(write(target, words, 14) == 14);
    int* available = room<int>();
    EXPECT(ioctl(source, FIONREAD, available) == 0 && *available == 14);
    pollfd* polled = room<pollfd>();
    *polled = {source, POLLIN, 0};
    EXPECT(poll(polled, 1, 0) == 1 && polled->revents == POLLIN);
    timespec* time = room<timespec>();
    *time = {0, 0};
    sigset_t* signals = room<sigset_t>();
    sigemptyset(signals);
    EXPECT(ppoll(polled, 1, time, signals) == 1 && polled->revents == POLLIN);
    fd_set* set = room<fd_set>();
    FD_ZERO(set);
    FD_SET(source, set);
    timeval* limit = room<timeval>();
    *limit = {0, 0};
    EXPECT(select(source + 1, set, nullptr, nullptr, limit) == 1 && FD_ISSET(source, set));
    EXPECT(pselect(source + 1, set, nullptr, nullptr, time, signals) == 1);
    int queue = epoll_create1(0);
    epoll_event* event = room<epoll_event>();
    event->events = EPOLLIN;
    event->data.u64 = 7;
    EXPECT(epoll_ctl(queue, EPOLL_CTL_ADD, source, event) == 0);
    epoll_event* events = room<epoll_event>(4);
    EXPECT(epoll_wait(queue, events, 4, 0) == 1 && events[0].data.u64 == 7);
    EXPECT(epoll_pwait(queue, events, 4, 0, signals) == 1 && events[0].data.u64 == 7);
    close(queue);
    EXPECT(read(source, back, PAGE) == 14 && std::memcmp(back, words, 14) == 0);
    close(source);
    close(target);
    EXPECT(pipe2(both, O_CLOEXEC) == 0);
    close(both[0]);
    close(both[1]);

    int* pair = room<int>(2);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    EXPECT(send(pair[0], words, 14, 0) == 14);
    EXPECT(recv(pair[1], back, PAGE, 0) == 14 && back[3] == 'o');
    msghdr* message = room<msghdr>();
    iovec* piece = room<iovec>();
    *message = {};
    *piece = {words, 14};
    message->msg_iov = piece;
    message->msg_iovlen = 1;
    EXPECT(sendmsg(pair[0], message, 0) == 14);
    *piece = {back, PAGE};
    EXPECT(recvmsg(pair[1], message, 0) == 14 && back[4] == 'u');
    mmsghdr* several = room<mmsghdr>();
    *several = {};
    several->msg_hdr.msg_iov = piece;
    several->msg_hdr.msg_iovlen = 1;
    *piece = {words, 14};
    EXPECT(sendmmsg(pair[0], several, 1, 0) == 1 && several->msg_len == 14);
    *piece = {back, PAGE};
    EXPECT(recvmmsg(pair[1], several, 1, 0, nullptr) == 1 && several->msg_len == 14);
    int* value = room<int>();
    socklen_t* length = room<socklen_t>();
    *length = sizeof(int);
    EXPECT(getsockopt(pair[0], SOL_SOCKET, SO_TYPE, value, length) == 0 && *value == SOCK_STREAM);
    *value = 1 << 16;
    EXPECT(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, value, sizeof(int)) == 0);
    close(pair[0]);
    close(pair[1]);

    sockaddr_un* name = room<sockaddr_un>();
    name->sun_family = AF_UNIX;
    // A whole path may be too long for a socket.
    std::strcpy(name->sun_path, "socket");
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT(bind(listener, reinterpret_cast<sockaddr*>(name), sizeof *name) == 0 && listen(listener, 1) == 0);
    int caller = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT(connect(caller, reinterpret_cast<sockaddr*>(name), sizeof *name) == 0);
    sockaddr_un* who = room<sockaddr_un>();
    *length = sizeof *who;
    int called = -1;
    EXPECT((called = accept(listener, reinterpret_cast<sockaddr*>(who), length)) >= 0);
    *length = sizeof *who;
    EXPECT(getsockname(listener, reinterpret_cast<sockaddr*>(who), length) == 0 && who->sun_family == AF_UNIX);
    *length = sizeof *who;
    EXPECT(getpeername(caller, reinterpret_cast<sockaddr*>(who), length) == 0 && who->sun_family == AF_UNIX);
    EXPECT(sendto(caller, words, 14, 0, nullptr, 0) == 14);
    EXPECT(recvfrom(called, back, PAGE, 0, nullptr, nullptr) == 14);
    close(called);
    close(caller);
    close(listener);
    EXPECT(unlink(name->sun_path) == 0);
    uint64_t* number = room<uint64_t>();
    int counter = eventfd(5, 0);
    EXPECT(eventfd_read(counter, number) == 0 && *number == 5);
    close(counter);
}

static void times_and_signals() {
    timespec* now = room<timespec>();
    timespec* rest = room<timespec>();
    EXPECT(clock_gettime(CLOCK_MONOTONIC, now) == 0);
    EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, now) == 0);
    EXPECT(clock_getres(CLOCK_MONOTONIC, now) == 0);
    *now = {0, 1000};
    EXPECT(nanosleep(now, rest) == 0);
    EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, now, rest) == 0);
    timeval* day = room<timeval>();
    EXPECT(gettimeofday(day, nullptr) == 0 && day->tv_sec > 0);
    time_t* seconds = room<time_t>();
    EXPECT(time(seconds) == *seconds);
    tms* used = room<tms>();
    EXPECT(times(used) != clock_t(-1));
    itimerval* timer = room<itimerval>();
    itimerval* before = room<itimerval>();
    *timer = {};
    timer->it_value.tv_sec = 1000;
    EXPECT(setitimer(ITIMER_REAL, timer, nullptr) == 0);
    EXPECT(getitimer(ITIMER_REAL, before) == 0 && before->it_value.tv_sec > 900);
    *timer = {};
    EXPECT(setitimer(ITIMER_REAL, timer, before) == 0 && before->it_value.tv_sec > 900);
    timer_t* made = room<timer_t>();
    sigevent* event = room<sigevent>();
    *event = {};
    event->sigev_notify = SIGEV_NONE;
    EXPECT(timer_create(CLOCK_MONOTONIC, event, made) == 0);
    itimerspec* set = room<itimerspec>();
    itimerspec* got = room<itimerspec>();
    *set = {};
    set->it_value.tv_sec = 1000;
    timer_t id = *made;
    EXPECT(timer_settime(id, 0, set, got) == 0);
    EXPECT(timer_gettime(id, got) == 0 && got->it_value.tv_sec > 900);
    timer_delete(id);
    int file = timerfd_create(CLOCK_MONOTONIC, 0);
    EXPECT(timerfd_settime(file, 0, set, got) == 0);
    EXPECT(timerfd_gettime(file, got) == 0 && got->it_value.tv_sec > 900);
    close(file);
    sigset_t* signals = room<sigset_t>();
    sigset_t* old = room<sigset_t>();
    sigemptyset(signals);
    sigaddset(signals, SIGUSR1);
    EXPECT(sigprocmask(SIG_BLOCK, signals, old) == 0 && !sigismember(old, SIGUSR1));
    raise(SIGUSR1);
    EXPECT(sigpending(old) == 0 && sigismember(old, SIGUSR1));
    int* number = room<int>();
    EXPECT(sigwait(signals, number) == 0 && *number == SIGUSR1);
    raise(SIGUSR1);
    siginfo_t* information = room<siginfo_t>();
    *now = {1, 0};
    EXPECT(sigtimedwait(signals, information, now) == SIGUSR1 && information->si_signo == SIGUSR1);
    int queue = -1;
    EXPECT((queue = signalfd(-1, signals, 0)) >= 0);
    close(queue);
    EXPECT(pthread_sigmask(SIG_UNBLOCK, signals, nullptr) == 0);
    struct sigaction* action = room<struct sigaction>();
    EXPECT(sigaction(SIGUSR1, nullptr, action) == 0 && action->sa_handler == SIG_DFL);
    stack_t* stack = room<stack_t>();
    EXPECT(sigaltstack(nullptr, stack) == 0);
}

static void processes() {
    int* status = room<int>();
    rusage* usage = room<rusage>();
    siginfo_t* information = room<siginfo_t>();
    for (int way = 0; way < 5; way++) {
        pid_t child = fork();
        if (child == 0) {
            _exit(40 + way);
        }
        if (way == 0) {
            EXPECT(wait(status) == child && WEXITSTATUS(*status) == 40);
        } else if (way == 1) {
            EXPECT(waitpid(child, status, 0) == child && WEXITSTATUS(*status) == 41);
        } else if (way == 2) {
            EXPECT(wait3(status, 0, usage) == child && WEXITSTATUS(*status) == 42);
        } else if (way == 3) {
            EXPECT(wait4(child, status, 0, usage) == child && WEXITSTATUS(*status) == 43);
        } else {
            EXPECT(waitid(P_PID, child, information, WEXITED) == 0 && information->si_status == 44);
        }
    }
    EXPECT(getrusage(RUSAGE_SELF, usage) == 0 && usage->ru_maxrss > 0);
    rlimit* limit = room<rlimit>();
    rlimit* old = room<rlimit>();
    EXPECT(getrlimit(RLIMIT_CORE, limit) == 0);
    EXPECT(setrlimit(RLIMIT_CORE, limit) == 0);
    EXPECT(prlimit(0, RLIMIT_CORE, limit, old) == 0 && old->rlim_cur == limit->rlim_cur);
    struct sysinfo* facts = room<struct sysinfo>();
    EXPECT(sysinfo(facts) == 0 && facts->totalram > 0);
    utsname* name = room<utsname>();
    EXPECT(uname(name) == 0 && std::strcmp(name->sysname, "Linux") == 0);
    gid_t* groups = room<gid_t>(1024);
    EXPECT(getgroups(1024, groups) >= 0);
    uid_t* users = room<uid_t>(3);
    EXPECT(getresuid(users, users + 1, users + 2) == 0 && users[1] == geteuid());
    char* host = room<char>(256);
    EXPECT(gethostname(host, 256) == 0);
    cpu_set_t* cores = room<cpu_set_t>();
    EXPECT(sched_getaffinity(0, sizeof *cores, cores) == 0 && CPU_COUNT(cores) > 0);
    EXPECT(sched_setaffinity(0, sizeof *cores, cores) == 0);
    sched_param* parameter = room<sched_param>();
    EXPECT(sched_getparam(0, parameter) == 0);
    char* random = room<char>(PAGE);
    EXPECT(getrandom(random, PAGE, 0) == ssize_t(PAGE));
    EXPECT(getentropy(random, 16) == 0);
    unsigned char* resident = room<unsigned char>(1);
    static char own[2 * PAGE];
    char* aligned = own + (PAGE - reinterpret_cast<size_t>(own) % PAGE) % PAGE;
    aligned[0] = 1;
    EXPECT(mincore(aligned, PAGE, resident) == 0 && (*resident & 1) == 1);
    iovec* local = room<iovec>();
    iovec* remote = room<iovec>();
    *local = {random, 1};
    *remote = {aligned, 1};
    EXPECT(process_vm_readv(getpid(), local, 1, remote, 1, 0) == 1 && random[0] == 1);
    random[0] = 2;
    EXPECT(process_vm_writev(getpid(), local, 1, remote, 1, 0) == 1 && aligned[0] == 2);
    char** words = room<char*>(4);
    words[0] = text("sh");
    words[1] = text("-c");
    words[2] = text("exit 9");
    words[3] = nullptr;
    char* shell = text("/bin/sh");
    launch();
    // Managed memory is not there in a forked child.
    pid_t child = 0;
    EXPECT(posix_spawn(&child, shell, nullptr, nullptr, words, environ) == 0);
    EXPECT(waitpid(child, status, 0) == child && WEXITSTATUS(*status) == 9);
    EXPECT(WEXITSTATUS(system(text("exit 3"))) == 3);
}

int main() {
    char folder[] = "shared-XXXXXX";
    if (mkdtemp(folder) == nullptr) {
        return 1;
    }
    char before[PAGE];
    if (getcwd(before, sizeof before) == nullptr) {
        return 1;
    }
    CHECK(cudaMalloc(&numbers, 32 * sizeof(int)));
    CHECK(cudaMemset(numbers, 0, 32 * sizeof(int)));
    for (bool is_managed : {false, true}) {
        if (is_managed) {
            CHECK(cudaMallocManaged(&shared_memory, PAGES * PAGE));
        } else {
            CHECK(cudaMallocHost(&shared_memory, PAGES * PAGE));
        }
        next_page = done = 0;
        std::string inside = std::string(before) + "/" + folder;
        files(inside);
        next_page = 0;
        sockets(inside);
        next_page = 0;
        times_and_signals();
        next_page = 0;
        processes();
        if (chdir(before) != 0) {
            return 1;
        }
        CHECK(cudaDeviceSynchronize());
        std::printf("%s: %d calls, %d wrong\n", is_managed ? "managed" : "page-locked", done, wrong);
        CHECK(is_managed ? cudaFree(shared_memory) : cudaFreeHost(shared_memory));
    }
    rmdir(folder);
    CHECK(cudaFree(numbers));
    return wrong == 0 ? 0 : 2;
}
