// As graphs_event_nodes.cu, but the second graph has its node that waits beside the kernel, not before it.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void fill(int* data, int factor) {
    data[threadIdx.x] = factor * threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 8)
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t* before, void* function, void** arguments) {
    cudaKernelNodeParams kernel = {};
    kernel.func = function;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, before, before ? 1 : 0, &kernel));
    return node;
}

int main() {
    int *data, *middle, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&middle, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t one, other;
    cudaEvent_t filled, reversed;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&reversed, cudaEventDisableTiming));

    // The first graph fills, and records an event before its last node; the second one waits for that event.
    int factor = 3;
    void* fill_arguments[] = {&data, &factor};
    void* first_arguments[] = {&middle, &data};
    cudaGraph_t first, second;
    CHECK(cudaGraphCreate(&first, 0));
    CHECK(cudaGraphCreate(&second, 0));
    cudaGraphNode_t fill_node = add_kernel(first, nullptr, reinterpret_cast<void*>(fill), fill_arguments);
    cudaGraphNode_t record, wait, done;
    CHECK(cudaGraphAddEventRecordNode(&record, first, &fill_node, 1, filled));
    cudaGraphNode_t empty;
    CHECK(cudaGraphAddEmptyNode(&empty, first, &record, 1));
    CHECK(cudaGraphAddEventWaitNode(&wait, second, nullptr, 0, filled));
    cudaGraphNode_t reverse_node = add_kernel(second, nullptr, reinterpret_cast<void*>(reverse), first_arguments);
    CHECK(cudaGraphAddEventRecordNode(&done, second, &reverse_node, 1, reversed));
    cudaEvent_t event;
    CHECK(cudaGraphEventRecordNodeGetEvent(done, &event));
    std::printf("the event of the node: %s\n", event == reversed ? "yes" : "no");
    cudaGraphExec_t executables[2];
    CHECK(cudaGraphInstantiate(&executables[0], first, 0));
    CHECK(cudaGraphInstantiate(&executables[1], second, 0));
    CHECK(cudaGraphLaunch(executables[0], one));
    CHECK(cudaGraphLaunch(executables[1], other));
    CHECK(cudaStreamWaitEvent(one, reversed, 0));
    reverse<<<1, COUNT, 0, one>>>(target, middle);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaDeviceSynchronize());
    for (cudaGraphExec_t executable : executables) {
        CHECK(cudaGraphExecDestroy(executable));
    }
    CHECK(cudaGraphDestroy(first));
    CHECK(cudaGraphDestroy(second));
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaEventDestroy(reversed));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFree(middle));
    CHECK(cudaFree(target));
    return 0;
}
