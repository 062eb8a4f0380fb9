// What is known about an address: of the device, pinned, managed, registered, or nothing.
// verdict: clean
#include "check.h"
#include <cstdlib>

__device__ int variable[16];
__managed__ int managed_variable[16];

static void show(const char* what, const void* address) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, address));
    if (attributes.type == cudaMemoryTypeUnregistered) {
        std::printf("%s: not known\n", what);
        return;
    }
    const char* types[] = {"unregistered", "host", "device", "managed"};
    std::printf("%s: %s, on the device %s, on the host %s\n", what, types[attributes.type],
                attributes.devicePointer == address ? "the same" : attributes.devicePointer == nullptr ? "nothing" : "another",
                attributes.hostPointer == address ? "the same" : attributes.hostPointer == nullptr ? "nothing" : "another");
}

int main() {
    int *device, *pinned, *managed;
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocManaged(&managed, 4096));
    void* plain = std::aligned_alloc(4096, 4096);
    show("device", device);
    show("inside device", device + 100);
    show("pinned", pinned);
    show("managed", managed);
    show("plain", plain);
    CHECK(cudaHostRegister(plain, 4096, cudaHostRegisterDefault));
    show("registered", plain);
    CHECK(cudaHostUnregister(plain));
    show("unregistered", plain);
    void* address = nullptr;
    CHECK(cudaGetSymbolAddress(&address, variable));
    show("variable", address);
    CHECK(cudaGetSymbolAddress(&address, managed_variable));
    show("managed variable", address);
    std::printf("the host knows it by the same address: %s\n", address == managed_variable ? "yes" : "no");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    std::free(plain);
    return 0;
}
