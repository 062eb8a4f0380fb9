// One thread comes after another, by means that iGUARD takes for safe (P6) and that count as no fence.
#pragma once
#include "../hb/support.h"

#define tell(flag) atom_add(relaxed, gpu, flag, 1)
#define wait_for(flag, times)                                                                             \
    while (atom_add(relaxed, gpu, flag, 0) < (times)) {                                                   \
    }
