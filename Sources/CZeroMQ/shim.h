#pragma once
#include <zmq.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// sys/eventfd.h is not part of Swift's Glibc module.
static inline int czmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// prctl is variadic and pthread_setname_np is a GNU extension: Swift sees neither.
static inline int czmq_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
