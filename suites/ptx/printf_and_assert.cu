// printf with every kind of argument, assert, __assert_fail paths, string constants and escapes.
#ifndef __CUDACC_RTC__
#include <cassert>
#endif

#include "support/launch.cuh"

__global__ void prints(int n, double x, const char *text)
{
    printf("plain\n");
    printf("%d %u %x %o %c %%\n", n, 7u, 0xbeefu, 8, 'z');
    printf("%lld %llu %p %s\n", static_cast<long long>(n), 1ull << 40, static_cast<const void *>(text), text);
    printf("%f %e %g %5.2f %-8d|%+d|%08x\n", x, x, static_cast<double>(1.5f), x, n, n, n);
    printf("tabs\tquotes\"backslash\\ bell\a unicode \xc3\xa9 nul-terminated\n");
    const int written = printf("many %d %d %d %d %d %d %d %d %d %d\n", n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9);
    if (written < 0) {
        printf("%s:%d in %s\n", __FILE__, __LINE__, __func__);
    }
}

__global__ void asserts(const int *in, int n)
{
    assert(n >= 0);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        assert(in[i] >= 0 && "values must not be negative");
        assert((static_cast<void>(0), in[i] < 1000));
    }
}

__device__ const char *const names[] = {"zero", "one", "two", "a longer string that does not fit a register"};
__constant__ char banner[32] = "constant banner";

__global__ void strings(char *out, int which)
{
    const char *name = names[which & 3];
    int i = 0;
    for (; name[i] != '\0'; ++i) {
        out[i] = name[i];
    }
    out[i] = banner[which & 15];
    const char local[] = "copied to local memory";
    out[i + 1] = local[which % sizeof(local)];
    out[i + 2] = L"wide"[which & 3] == L'w' ? 'y' : 'n';
}

#ifndef __CUDACC_RTC__
int main()
{
    char *text = corpus::device_array<char>(64);
    strings<<<1, 1>>>(text, 1);
    prints<<<1, 1>>>(1, 2.5, text);
    asserts<<<1, 32>>>(corpus::device_array<int>(64), 64);
    return corpus::finish("printf_and_assert", corpus::read_back(text, 1) == 'n');
}
#endif
