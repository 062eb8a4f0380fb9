// Nodes of every kind are added by the one call for all of them, and changed in the graph and in the executable graph.
// verdict: clean
#include "check.h"
#include "versions.h"

constexpr int COUNT = 96;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add(int* data, int value) {
    data[threadIdx.x] += value * threadIdx.x;
}

struct Call {
    int calls;
    int step;
};

static void CUDART_CB count(void* argument) {
    Call* call = static_cast<Call*>(argument);
    call->calls += call->step;
}

int main() {
    int *data, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t nodes[6];

    cudaGraphNodeParams clear = {};
    clear.type = cudaGraphNodeTypeMemset;
    clear.memset.dst = data;
    clear.memset.value = 5;
    clear.memset.elementSize = 4;
    clear.memset.width = COUNT;
    clear.memset.height = 1;
    CHECK(add_graph_node(&nodes[0], graph, nullptr, 0, &clear));

    int value = 2;
    void* arguments[] = {&data, &value};
    cudaGraphNodeParams kernel = {};
    kernel.type = cudaGraphNodeTypeKernel;
    kernel.kernel.func = reinterpret_cast<void*>(add);
    kernel.kernel.gridDim = dim3(1);
    kernel.kernel.blockDim = dim3(COUNT);
    kernel.kernel.kernelParams = arguments;
    CHECK(add_graph_node(&nodes[1], graph, &nodes[0], 1, &kernel));

    cudaGraphNodeParams record = {};
    record.type = cudaGraphNodeTypeEventRecord;
    record.eventRecord.event = event;
    CHECK(add_graph_node(&nodes[2], graph, &nodes[1], 1, &record));

    cudaGraphNodeParams copy = {};
    copy.type = cudaGraphNodeTypeMemcpy;
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(data, BYTES, BYTES, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, BYTES, BYTES, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(BYTES, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    CHECK(add_graph_node(&nodes[3], graph, &nodes[2], 1, &copy));

    Call call = {0, 1};
    cudaGraphNodeParams function = {};
    function.type = cudaGraphNodeTypeHost;
    function.host.fn = count;
    function.host.userData = &call;
    CHECK(add_graph_node(&nodes[4], graph, &nodes[2], 1, &function));

    cudaGraphNodeParams empty = {};
    empty.type = cudaGraphNodeTypeEmpty;
    CHECK(add_graph_node(&nodes[5], graph, &nodes[3], 2, &empty));

    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        std::printf("type %d\n", static_cast<int>(type));
    }
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t stream, other;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("as made: %d %d, calls %d\n", host[0], host[COUNT - 1], call.calls);

    // Both ways to change a node, and the function with another argument.
    value = 4;
    CHECK(cudaGraphExecNodeSetParams(executable, nodes[1], &kernel));
    clear.memset.value = 9;
    CHECK(cudaGraphNodeSetParams(nodes[0], &clear));
    Call other_call = {0, 50};
    function.host.userData = &other_call;
    CHECK(cudaGraphExecNodeSetParams(executable, nodes[4], &function));
    CHECK(cudaGraphLaunch(executable, stream));
    // The event of the node says that the kernel is done, not the copy.
    CHECK(cudaStreamWaitEvent(other, event, 0));
    int last = 0;
    CHECK(cudaMemcpyAsync(&last, data + COUNT - 1, sizeof last, cudaMemcpyDeviceToHost, other));
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("executable graph changed: %d %d, %d, calls %d %d\n", host[0], host[COUNT - 1], last, call.calls, other_call.calls);
    cudaGraphExec_t again;
    CHECK(cudaGraphInstantiate(&again, graph, 0));
    CHECK(cudaGraphLaunch(again, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("graph changed: %d %d, calls %d %d\n", host[0], host[COUNT - 1], call.calls, other_call.calls);
    CHECK(cudaGraphExecDestroy(again));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    return 0;
}
