// A graph of a memset, two kernels, a copy and a host function, put together node by node.
// verdict: clean
#include "check.h"
#include "versions.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void number(int* data, int factor) {
    data[threadIdx.x] += threadIdx.x * factor;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
}

struct Result {
    int* numbers;
    int calls;
    long sum;
};

static void CUDART_CB add_up(void* argument) {
    Result* result = static_cast<Result*>(argument);
    result->calls++;
    for (int i = 0; i < COUNT; i++) {
        result->sum += result->numbers[i];
    }
}

int main() {
    int *data, *target, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMalloc(&target, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));

    cudaMemsetParams memset = {};
    memset.dst = data;
    memset.value = 1;
    memset.elementSize = sizeof(int);
    memset.width = COUNT;
    memset.height = 1;
    cudaGraphNode_t clear;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &memset));

    int factor = 3;
    void* number_arguments[] = {&data, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(number);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(COUNT);
    kernel.kernelParams = number_arguments;
    cudaGraphNode_t first;
    CHECK(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));

    void* reverse_arguments[] = {&target, &data};
    kernel.func = reinterpret_cast<void*>(reverse);
    kernel.kernelParams = reverse_arguments;
    cudaGraphNode_t second;
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
    CHECK(add_graph_edges(graph, &first, &second, 1));

    cudaGraphNode_t copy;
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, target, BYTES, cudaMemcpyDeviceToHost));

    Result result = {host, 0, 0};
    cudaHostNodeParams function = {};
    function.fn = add_up;
    function.userData = &result;
    cudaGraphNode_t report;
    CHECK(cudaGraphAddHostNode(&report, graph, &copy, 1, &function));

    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("calls %d, sum %ld, numbers %d %d\n", result.calls, result.sum, host[0], host[COUNT - 1]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    CHECK(cudaFreeHost(host));
    return 0;
}
