// A captured fork whose branch is joined after the kernel that needs it.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void branch(int* data) {
    data[threadIdx.x] = threadIdx.x * 3;
}

__global__ void use(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 8)
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t trunk, side;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreate(&trunk));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    CHECK(cudaStreamBeginCapture(trunk, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(forked, trunk));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    branch<<<1, COUNT, 0, side>>>(data);
    CHECK(cudaEventRecord(joined, side));
    use<<<1, COUNT, 0, trunk>>>(target, data);
    CHECK(cudaStreamWaitEvent(trunk, joined, 0));
    CHECK(cudaGetLastError());
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(trunk, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, trunk));
    CHECK(cudaStreamSynchronize(trunk));
    std::printf("one launch of a captured graph\n");
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(trunk));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
