// CURD's sets with the eager scheme. The lazy one is better off without it: a function that may be called takes registers of all that
// lead to it.
#define WS_EAGER
#include "curd.cu"
