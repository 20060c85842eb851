#include "CReluxStandard.h"

#include <fcntl.h>

static unsigned closed;

// Before main, and so before an async main has made the queue that it runs on.
__attribute__((constructor)) static void fill(void) {
  for (int number = 0; number <= 2; number++) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    closed |= 1u << number;
    // The lowest free number is this one: those below it are open by now.
    open("/dev/null", O_RDONLY);
  }
}

int relux_standard_was_closed(int descriptor) { return closed >> descriptor & 1; }
