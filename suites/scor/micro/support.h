// One side comes after the other by relaxed atomics, which are no fence and which all detectors take for safe.
#pragma once
#include "../../iguard/support.h"
