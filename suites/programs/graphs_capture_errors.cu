// What must not be done during a capture, and what the calls answer.
// verdict: clean
#include "check.h"

__global__ void count(int* counter) {
    *counter += 1;
}

int main() {
    int* counter;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph = nullptr;

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(counter);
    std::printf("wait for the stream: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    std::printf("the capture is invalid: %s\n", status == cudaStreamCaptureStatusInvalidated ? "yes" : "no");
    std::printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
    std::printf("no graph: %s\n", graph == nullptr ? "yes" : "no");
    (void)cudaGetLastError();

    std::printf("end without a beginning: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
    (void)cudaGetLastError();
    std::printf("capture of the default stream: %s\n",
                cudaGetErrorName(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)));
    (void)cudaGetLastError();

    // The stream can be used as before, and captured again.
    count<<<1, 1, 0, stream>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(counter);
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    int value = 0;
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("counted %d: what is captured does not run\n", value);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(counter));
    return 0;
}
