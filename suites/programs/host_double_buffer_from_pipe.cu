// A thread reads numbers from a pipe into one of two page-locked buffers while the other one is copied and summed up.
// verdict: clean
#include "check.h"
#include <condition_variable>
#include <mutex>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

constexpr int CHUNK = 3000;
constexpr int CHUNKS = 12;
constexpr int PIECES = 6;

__global__ void sum(const int* numbers, unsigned long long* total) {
    unsigned long long own = 0;
    for (int i = threadIdx.x; i < CHUNK; i += blockDim.x) {
        own += numbers[i];
    }
    atomicAdd(total, own);
}

static int* buffers[2];
static std::mutex turn;
static std::condition_variable changed;
static int filled = 0;
static int emptied = 0;
static bool complete = true;

static void fill_buffers(int source) {
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        {
            std::unique_lock<std::mutex> lock(turn);
            changed.wait(lock, [chunk] { return emptied + 2 > chunk; });
        }
        char* at = reinterpret_cast<char*>(buffers[chunk % 2]);
        size_t left = CHUNK * sizeof(int);
        while (left > 0) {
            iovec rest{at, left};
            ssize_t got = readv(source, &rest, 1);
            if (got <= 0) {
                complete = false;
                break;
            }
            at += got;
            left -= got;
        }
        std::lock_guard<std::mutex> lock(turn);
        filled++;
        changed.notify_all();
    }
}

// Small pieces, slowly: the reader waits in its call while the other threads use the device.
static void write_numbers(int target) {
    static int numbers[CHUNK];
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        for (int i = 0; i < CHUNK; i++) {
            numbers[i] = chunk * CHUNK + i;
        }
        for (int piece = 0; piece < PIECES; piece++) {
            size_t bytes = sizeof numbers / PIECES;
            if (write(target, reinterpret_cast<char*>(numbers) + piece * bytes, bytes) != ssize_t(bytes)) {
                return;
            }
            usleep(2000);
        }
    }
    close(target);
}

int main() {
    int both[2];
    if (pipe(both) != 0) {
        return 1;
    }
    int* device[2];
    unsigned long long* total;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocManaged(&total, sizeof *total));
    *total = 0;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocHost(&buffers[i], CHUNK * sizeof(int)));
        CHECK(cudaMalloc(&device[i], CHUNK * sizeof(int)));
    }
    std::thread writer(write_numbers, both[1]);
    std::thread reader(fill_buffers, both[0]);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        {
            std::unique_lock<std::mutex> lock(turn);
            changed.wait(lock, [chunk] { return filled > chunk; });
        }
        int i = chunk % 2;
        for (int part = 0; part < 4; part++) {
            int first = part * (CHUNK / 4);
            CHECK(cudaMemcpyAsync(device[i] + first, buffers[i] + first, CHUNK / 4 * sizeof(int), cudaMemcpyHostToDevice, stream));
        }
        sum<<<1, 128, 0, stream>>>(device[i], total);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        std::lock_guard<std::mutex> lock(turn);
        emptied++;
        changed.notify_all();
    }
    reader.join();
    writer.join();
    std::printf("complete %d, total %llu\n", complete, *total);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFreeHost(buffers[i]));
        CHECK(cudaFree(device[i]));
    }
    CHECK(cudaFree(total));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
