// Runs the kernels of `warpsan-testkit instructions --emit` on a GPU and writes down what they stored.
//
//     g++ -std=c++17 -O2 -I$CUDA/include record.cpp -o record -ldl
//     ./record FOLDER OUTPUT_FOLDER DATE
//
// FOLDER holds modules (MODULE.cubin or MODULE.ptx), inputs.bin and manifest.txt, which has one line for each kernel:
//     module name blocks threads input_bytes output_bytes count
// The inputs of the kernels lie behind each other in inputs.bin, in the order of the lines. OUTPUT_FOLDER gets
// outputs.bin, in the same order, and origin.txt. The driver is loaded at run time, so nothing of it is linked.

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

static void fail(const std::string &what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(1);
}

template <class Function> static Function *entry(const char *name) {
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) fail("this machine has no NVIDIA driver (libcuda.so.1)");
    void *address = dlsym(library, name);
    if (!address) fail(std::string("the driver has no function ") + name);
    return reinterpret_cast<Function *>(address);
}

static void check(CUresult result, const std::string &what) {
    if (result == CUDA_SUCCESS) return;
    const char *name = "unknown";
    entry<decltype(cuGetErrorName)>("cuGetErrorName")(result, &name);
    fail(what + ": " + name);
}

static std::vector<char> contents(const std::string &path, bool needed) {
    std::ifstream file(path, std::ios::binary);
    if (!file && needed) fail("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static CUmodule load(const std::string &folder, const std::string &name) {
    std::string file = folder + "/" + name + ".cubin";
    std::vector<char> image = contents(file, false);
    if (image.empty()) {
        file = folder + "/" + name + ".ptx";
        image = contents(file, true);
        image.push_back(0);
    }
    CUmodule module;
    check(entry<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, image.data()), "loading " + file);
    std::printf("loaded %s\n", file.c_str());
    return module;
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments != 4) fail("usage: record FOLDER OUTPUT_FOLDER DATE");
    std::string folder = arguments[1], output_folder = arguments[2], date = arguments[3];

    check(entry<decltype(cuInit)>("cuInit")(0), "cuInit");
    CUdevice device;
    check(entry<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
    CUcontext context;
    check(entry<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
    check(entry<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");

    auto get_function = entry<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
    auto allocate = entry<CUresult(CUdeviceptr *, size_t)>("cuMemAlloc_v2");
    auto to_device = entry<CUresult(CUdeviceptr, const void *, size_t)>("cuMemcpyHtoD_v2");
    auto to_host = entry<CUresult(void *, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2");
    auto fill = entry<CUresult(CUdeviceptr, unsigned char, size_t)>("cuMemsetD8_v2");
    auto launch = entry<decltype(cuLaunchKernel)>("cuLaunchKernel");
    auto synchronize = entry<decltype(cuCtxSynchronize)>("cuCtxSynchronize");

    const size_t largest = 16 << 20;
    CUdeviceptr operands, results;
    check(allocate(&operands, largest), "memory");
    check(allocate(&results, largest), "memory");

    std::vector<char> inputs = contents(folder + "/inputs.bin", true);
    std::ifstream manifest(folder + "/manifest.txt");
    if (!manifest) fail("cannot read " + folder + "/manifest.txt");
    std::ofstream outputs(output_folder + "/outputs.bin", std::ios::binary);
    std::map<std::string, CUmodule> modules;
    std::string line;
    size_t offset = 0, kernels = 0;
    while (std::getline(manifest, line)) {
        std::istringstream fields(line);
        std::string module, name;
        unsigned blocks, threads, count;
        size_t input_bytes, output_bytes;
        if (!(fields >> module >> name >> blocks >> threads >> input_bytes >> output_bytes >> count))
            fail("this line of the manifest is not understood: " + line);
        if (offset + input_bytes > inputs.size() || input_bytes > largest || output_bytes > largest)
            fail("sizes do not fit: " + line);
        CUfunction function;
        if (!modules.count(module)) modules[module] = load(folder, module);
        check(get_function(&function, modules[module], name.c_str()), name);
        check(to_device(operands, inputs.data() + offset, input_bytes), name);
        check(fill(results, 0, output_bytes), name);
        void *parameters[] = {&results, &operands, &count};
        check(launch(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr), name);
        check(synchronize(), name);
        std::vector<char> got(output_bytes);
        check(to_host(got.data(), results, output_bytes), name);
        outputs.write(got.data(), static_cast<std::streamsize>(got.size()));
        offset += input_bytes;
        ++kernels;
    }
    if (offset != inputs.size()) fail("inputs.bin is longer than the manifest says");
    if (!outputs.flush()) fail("cannot write outputs.bin");

    char gpu[256] = {};
    check(entry<decltype(cuDeviceGetName)>("cuDeviceGetName")(gpu, sizeof gpu, device), "name");
    int version = 0, major = 0, minor = 0;
    check(entry<decltype(cuDriverGetVersion)>("cuDriverGetVersion")(&version), "version");
    auto attribute = entry<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
    check(attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "attribute");
    check(attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "attribute");
    std::string driver = "unknown";
    std::ifstream proc("/proc/driver/nvidia/version");
    std::getline(proc, driver);
    std::ofstream origin(output_folder + "/origin.txt");
    origin << "GPU: " << gpu << " (compute capability " << major << "." << minor << ")\n"
           << "Driver: " << driver << "\n"
           << "CUDA of the driver: " << version / 1000 << "." << version % 1000 / 10 << "\n"
           << "Kernels: " << kernels << "\n"
           << "Date: " << date << "\n";
    if (!origin.flush()) fail("cannot write origin.txt");
    std::printf("%zu kernels ran, %zu bytes of input\n", kernels, offset);
    return 0;
}
