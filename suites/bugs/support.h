// Accesses of one PTX instruction each, and turns by relaxed atomics, which are no synchronisation without a fence beside them.
#pragma once
#include "../iguard/support.h"
