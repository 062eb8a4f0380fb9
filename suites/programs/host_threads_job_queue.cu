// Eight threads of the host take jobs from a queue with a condition variable; each job uses an array that the one before it
// has left, and is done when the next one is put into the queue.
// verdict: clean
#include "check.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

constexpr int THREADS = 8;
constexpr int JOBS = 24;
constexpr int COUNT = 256;

__global__ void add(int* data, int amount) {
    data[threadIdx.x] += amount;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMemset(data, 0, COUNT * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<int> jobs;
    int done = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++) {
        threads.emplace_back([&] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            for (;;) {
                int job;
                {
                    std::unique_lock<std::mutex> lock(mutex);
                    changed.wait(lock, [&] { return !jobs.empty(); });
                    job = jobs.front();
                    jobs.pop_front();
                }
                if (job < 0) {
                    break;
                }
                add<<<1, COUNT, 0, stream>>>(data, job);
                CHECK(cudaGetLastError());
                CHECK(cudaStreamSynchronize(stream));
                std::lock_guard<std::mutex> lock(mutex);
                done++;
                changed.notify_all();
            }
            CHECK(cudaStreamDestroy(stream));
        });
    }
    for (int job = 0; job < JOBS; job++) {
        std::unique_lock<std::mutex> lock(mutex);
        jobs.push_back(job);
        changed.notify_all();
        changed.wait(lock, [&] { return done == job + 1; });
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        jobs.assign(THREADS, -1);
        changed.notify_all();
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int first = 0;
    CHECK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("sum: %d\n", first);
    CHECK(cudaFree(data));
    return 0;
}
