// See CReluxProcess.h.
#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <fcntl.h>

int relux_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
}
