// Memset nodes with rows and elements of one, two and four bytes, copies of boxes, to and from symbols, and some changed later.
// verdict: clean
#include "check.h"

constexpr int WIDTH = 12;
constexpr int ROWS = 5;
constexpr size_t PITCH = 64;

__device__ int numbers[8];

__global__ void add(int value) {
    numbers[threadIdx.x] += value + threadIdx.x;
}

static long sum(const unsigned char* bytes, size_t count) {
    long total = 0;
    for (size_t i = 0; i < count; i++) {
        total += bytes[i] * long(i % 251 + 1);
    }
    return total;
}

int main() {
    unsigned char *device, *host, *part;
    CHECK(cudaMalloc(&device, PITCH * ROWS));
    CHECK(cudaMallocHost(&host, PITCH * ROWS));
    CHECK(cudaMallocHost(&part, 256));
    CHECK(cudaMemset(device, 7, PITCH * ROWS));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++) {
        part[i] = 0;
    }
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));

    // Three memsets beside each other, in columns of their own.
    cudaGraphNode_t memsets[3];
    cudaMemsetParams fill = {};
    fill.pitch = PITCH;
    fill.height = ROWS;
    fill.dst = device;
    fill.elementSize = 1;
    fill.width = WIDTH;
    fill.value = 0x1ab;
    CHECK(cudaGraphAddMemsetNode(&memsets[0], graph, nullptr, 0, &fill));
    fill.dst = device + 16;
    fill.elementSize = 2;
    fill.width = WIDTH / 2;
    fill.value = 0x1234;
    CHECK(cudaGraphAddMemsetNode(&memsets[1], graph, nullptr, 0, &fill));
    fill.dst = device + 32;
    fill.elementSize = 4;
    fill.width = WIDTH / 4;
    fill.value = 0x01020304;
    CHECK(cudaGraphAddMemsetNode(&memsets[2], graph, nullptr, 0, &fill));

    // All of it to the host, and a box of two rows of it to the middle of another box there.
    cudaGraphNode_t whole, box;
    CHECK(cudaGraphAddMemcpyNode1D(&whole, graph, memsets, 3, host, device, PITCH * ROWS, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(device, PITCH, PITCH, ROWS);
    copy.srcPos = make_cudaPos(14, 1, 0);
    copy.dstPtr = make_cudaPitchedPtr(part, 32, 32, 4);
    copy.dstPos = make_cudaPos(3, 1, 1);
    copy.extent = make_cudaExtent(20, 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&box, graph, memsets, 3, &copy));

    // Host to a symbol, a kernel, and the symbol to the host.
    int start[8] = {1, 2, 3, 4, 5, 6, 7, 8}, end[8] = {};
    cudaGraphNode_t to_symbol, kernel_node, from_symbol;
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, nullptr, 0, numbers, start, sizeof start, 0, cudaMemcpyHostToDevice));
    int value = 10;
    void* arguments[] = {&value};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(add);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(8);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel_node, graph, &to_symbol, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &kernel_node, 1, end, numbers, 4 * sizeof(int), 4 * sizeof(int),
                                           cudaMemcpyDeviceToHost));

    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("bytes %x %x %x %x %x %x\n", host[0], host[12], host[16], host[17], host[32], host[35]);
    std::printf("all %ld, the box %ld, numbers %d %d\n", sum(host, PITCH * ROWS), sum(part, 256), end[0], end[3]);

    // They change in the executable graph.
    fill.value = 0x0a0b0c0d;
    CHECK(cudaGraphExecMemsetNodeSetParams(executable, memsets[2], &fill));
    int more[8] = {100, 200, 300, 400, 500, 600, 700, 800};
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, to_symbol, numbers, more, 6 * sizeof(int), 2 * sizeof(int),
                                                   cudaMemcpyHostToDevice));
    CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, from_symbol, end, numbers, 2 * sizeof(int), sizeof(int),
                                                     cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(executable, whole, host + PITCH, device, PITCH * (ROWS - 1), cudaMemcpyDeviceToHost));
    // Boxes and the shape of rows stay as they are.
    copy.dstPos = make_cudaPos(0, 0, 0);
    std::printf("another box: %s\n", cudaGetErrorName(cudaGraphExecMemcpyNodeSetParams(executable, box, &copy)));
    fill.width = 2;
    std::printf("narrower rows: %s\n", cudaGetErrorName(cudaGraphExecMemsetNodeSetParams(executable, memsets[2], &fill)));
    (void)cudaGetLastError();
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("bytes %x %x %x %x\n", host[32], host[PITCH + 32], part[161], part[167]);
    std::printf("all %ld, the box %ld, numbers %d %d %d %d\n", sum(host, PITCH * ROWS), sum(part, 256), end[0], end[1],
                end[2], end[3]);
    cudaMemsetParams read_back = {};
    CHECK(cudaGraphMemsetNodeGetParams(memsets[1], &read_back));
    std::printf("element %u, width %zu, height %zu, value %x\n", read_back.elementSize, read_back.width, read_back.height,
                read_back.value);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFreeHost(part));
    CHECK(cudaFree(device));
    return 0;
}
