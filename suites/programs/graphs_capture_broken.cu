// Captures that go wrong, each in its own way: what the call answers, and what the end of the capture says.
// verdict: clean
#include "check.h"
#include <thread>

__global__ void count(int* counter) {
    *counter += 1;
}

static cudaStream_t one, other;
static cudaEvent_t event, event_before;
static int* counter;

static void tell(const char* what, cudaError_t status) {
    std::printf("  %s: %s\n", what, cudaGetErrorName(status));
    (void)cudaGetLastError();
}

static void tell_status(const char* what, cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    std::printf("  %s: %s, %d\n", what, cudaGetErrorName(error), error == cudaSuccess ? static_cast<int>(status) : -1);
    (void)cudaGetLastError();
}

static void begin(const char* what, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    std::printf("%s\n", what);
    CHECK(cudaStreamBeginCapture(one, mode));
    count<<<1, 1, 0, one>>>(counter);
    CHECK(cudaGetLastError());
}

static void end(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    tell("end", cudaStreamEndCapture(stream, &graph));
    std::printf("  a graph: %s\n", graph ? "yes" : "no");
    if (graph) {
        CHECK(cudaGraphDestroy(graph));
    }
}

int main() {
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&event_before, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event_before, other));
    CHECK(cudaDeviceSynchronize());

    begin("a branch that does not come back");
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(other, event, 0));
    count<<<1, 1, 0, other>>>(counter);
    end(one);
    tell_status("the branch", other);

    begin("an event of before the capture");
    tell("wait", cudaStreamWaitEvent(one, event_before, 0));
    tell_status("the stream", one);
    end(one);

    begin("the legacy stream");
    count<<<1, 1>>>(counter);
    tell("launch", cudaGetLastError());
    tell_status("the stream", one);
    end(one);

    begin("a captured event");
    CHECK(cudaEventRecord(event, one));
    tell("query", cudaEventQuery(event));
    tell_status("the stream", one);
    end(one);

    begin("waiting for a captured event");
    CHECK(cudaEventRecord(event, one));
    tell("wait", cudaEventSynchronize(event));
    tell_status("the stream", one);
    end(one);

    begin("two captures meet");
    CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, one));
    tell("wait", cudaStreamWaitEvent(other, event, 0));
    tell_status("one", one);
    tell_status("the other", other);
    end(one);
    end(other);

    begin("the end in the branch");
    CHECK(cudaEventRecord(event, one));
    CHECK(cudaStreamWaitEvent(other, event, 0));
    end(other);
    tell_status("the stream", one);
    end(one);

    begin("the end in another thread", cudaStreamCaptureModeThreadLocal);
    std::thread([] { end(one); }).join();
    tell_status("the stream", one);
    end(one);

    begin("an allocation");
    int* memory = nullptr;
    tell("cudaMalloc", cudaMalloc(&memory, 64));
    tell_status("the stream", one);
    end(one);

    begin("an allocation in a relaxed capture", cudaStreamCaptureModeRelaxed);
    tell("cudaMalloc", cudaMalloc(&memory, 64));
    tell_status("the stream", one);
    end(one);
    CHECK(cudaFree(memory));

    begin("a capture in a capture");
    tell("begin", cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    tell("query", cudaStreamQuery(one));
    tell_status("the stream", one);
    end(one);

    int value = -1;
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("counted %d\n", value);
    CHECK(cudaEventDestroy(event));
    CHECK(cudaEventDestroy(event_before));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(counter));
    return 0;
}
