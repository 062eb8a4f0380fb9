// iGUARD's checks of another granularity or with a history, as a template: `general.h` has the rules.
#include "general.h"

// What the access is (`Type` and its further bits), and how many bytes it has, which may be none.
WS_INPUT_32(access)
WS_INPUT_32(length)

extern "C" __device__ void ws_general_access() {
    u64 address = in_address(), self = in_self();
    u32 mask = __activemask(), access = in_access(), bytes = in_length();
    // One lane checks for all that access the same bytes.
    bool is_one = (access & 3) != STORE && is_one_address(address + ((u64)bytes << 56), mask);
    if (is_one && lane_of(self) != __ffs(mask) - 1) return;
    u64 chunk = chunk_of(address);
    if (chunk != 0) check_granules(chunk, address, bytes, self, mask, access);
}
