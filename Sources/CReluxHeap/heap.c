#include "CReluxHeap.h"

// One arena, and small caches for each thread: with the defaults an idle host takes 2 MB more, and is no faster (2026-11-28).
const char *malloc_conf = "narenas:1,tcache_nslots_small_max:40,tcache_max:512";
