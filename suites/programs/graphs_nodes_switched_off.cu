// Nodes of an executable graph are switched off and on again: one that is off does nothing, and keeps the order of the others.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add(int* data, int value) {
    data[threadIdx.x] += value;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x] + threadIdx.x;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void* function, void** arguments) {
    cudaKernelNodeParams kernel = {};
    kernel.func = function;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, &before, 1, &kernel));
    return node;
}

int main() {
    int *data, *target, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMalloc(&target, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMemset(target, 0, BYTES));
    CHECK(cudaDeviceSynchronize());

    // A chain: memset, add, add, reverse, copy.
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams memset = {};
    memset.dst = data;
    memset.value = 1;
    memset.elementSize = sizeof(int);
    memset.width = COUNT;
    memset.height = 1;
    int one = 10, two = 200;
    void* one_arguments[] = {&data, &one};
    void* two_arguments[] = {&data, &two};
    void* reverse_arguments[] = {&target, &data};
    cudaGraphNode_t clear, copy;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &memset));
    cudaGraphNode_t first = add_kernel(graph, clear, reinterpret_cast<void*>(add), one_arguments);
    cudaGraphNode_t second = add_kernel(graph, first, reinterpret_cast<void*>(add), two_arguments);
    cudaGraphNode_t third = add_kernel(graph, second, reinterpret_cast<void*>(reverse), reverse_arguments);
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &third, 1, host, target, BYTES, cudaMemcpyDeviceToHost));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    struct Try {
        const char* name;
        cudaGraphNode_t node;
        unsigned on;
    } tries[] = {{"all on", nullptr, 1},       {"second off", second, 0}, {"memset off, too", clear, 0},
                 {"second on", second, 1},     {"reverse off", third, 0}, {"memset on", clear, 1},
                 {"copy off, reverse on", copy, 0}};
    for (const Try& next : tries) {
        if (next.node == copy) {
            CHECK(cudaGraphNodeSetEnabled(executable, third, 1));
        }
        if (next.node) {
            CHECK(cudaGraphNodeSetEnabled(executable, next.node, next.on));
        }
        host[0] = -1;
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        std::printf("%s: %d %d\n", next.name, host[0], host[COUNT - 1]);
    }
    unsigned enabled[3];
    CHECK(cudaGraphNodeGetEnabled(executable, clear, &enabled[0]));
    CHECK(cudaGraphNodeGetEnabled(executable, third, &enabled[1]));
    CHECK(cudaGraphNodeGetEnabled(executable, copy, &enabled[2]));
    std::printf("enabled: %u %u %u\n", enabled[0], enabled[1], enabled[2]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
