#pragma once
#include <zmq.h>
#include <stdint.h>
#include <sys/eventfd.h>

// sys/eventfd.h is not part of Swift's Glibc module.
static inline int czmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
