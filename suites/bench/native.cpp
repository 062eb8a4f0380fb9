// native ALGORITHM FOLDER BUFFERS OUTPUT CALLS NUMBER...
// Reads the buffers FOLDER/0 to FOLDER/BUFFERS-1, calls the algorithm CALLS times, writes buffer OUTPUT to
// FOLDER/output and prints the processor time of one call in seconds.

#include "native.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using Algorithm = void (*)(void *const *, const uint32_t *);

static const struct {
    const char *name;
    Algorithm run;
} ALGORITHMS[] = {
    {"nbody", nbody}, {"matmul", matmul}, {"histogram", histogram}, {"scan", scan}, {"spmv", spmv},
};

static int fail(const std::string &what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    return 1;
}

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        return fail("usage: native ALGORITHM FOLDER BUFFERS OUTPUT CALLS NUMBER...");
    }
    std::string name = argv[1], folder = argv[2];
    unsigned count = std::strtoul(argv[3], nullptr, 10);
    unsigned output = std::strtoul(argv[4], nullptr, 10);
    unsigned calls = std::strtoul(argv[5], nullptr, 10);
    std::vector<uint32_t> numbers;
    for (int i = 6; i < argc; i++) {
        numbers.push_back(std::strtoul(argv[i], nullptr, 10));
    }

    Algorithm run = nullptr;
    for (const auto &algorithm : ALGORITHMS) {
        if (name == algorithm.name) {
            run = algorithm.run;
        }
    }
    if (run == nullptr || output >= count || calls == 0) {
        return fail("there is nothing to do for " + name);
    }

    std::vector<std::vector<char>> contents;
    std::vector<void *> buffers;
    for (unsigned i = 0; i < count; i++) {
        std::ifstream file(folder + "/" + std::to_string(i), std::ios::binary);
        if (!file) {
            return fail("a buffer is missing");
        }
        contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    for (auto &content : contents) {
        buffers.push_back(content.data());
    }

    double start = processor_seconds();
    for (unsigned i = 0; i < calls; i++) {
        run(buffers.data(), numbers.data());
    }
    double seconds = (processor_seconds() - start) / calls;

    std::ofstream file(folder + "/output", std::ios::binary);
    file.write(contents[output].data(), contents[output].size());
    file.close();
    if (!file) {
        return fail("the output cannot be written");
    }
    std::printf("%.9f\n", seconds);
    return 0;
}
