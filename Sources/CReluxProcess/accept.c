#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// libzmq 4.3.4 aborts the process when accept() finds no descriptor left (ipc_listener.cpp), and a thread that looks once a second
// is too slow for a peer that connects a thousand times in a tenth of that. So the fence is where the descriptor is made: this is
// the accept4 that libzmq, linked behind us, finds first. The kernel gives the lowest free number, so a number at the fence says
// that as many are in use.

static _Atomic int fence_percent;
static _Atomic int spare = -1;
static _Atomic unsigned long turned_away;
static _Atomic pid_t last_peer;

void relux_descriptor_fence(int percent) {
  int expected = -1;
  int fresh = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fresh >= 0 && !atomic_compare_exchange_strong(&spare, &expected, fresh)) close(fresh);
  atomic_store(&fence_percent, percent);
}

unsigned long relux_descriptor_turned_away(void) { return atomic_load(&turned_away); }

pid_t relux_descriptor_last_peer(void) { return atomic_load(&last_peer); }

static int turn_away(int peer) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) atomic_store(&last_peer, credentials.pid);
  atomic_fetch_add(&turned_away, 1);
  close(peer);
  errno = ECONNABORTED;  // what a peer that hangs up at once looks like; every server takes it
  return -1;
}

static int is_local(int listener) {
  int family = 0;
  socklen_t length = sizeof family;
  return getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 && family == AF_UNIX;
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
  int percent = atomic_load(&fence_percent);
  int peer = (int)syscall(SYS_accept4, listener, address, length, flags);
  if (!percent || (peer < 0 && errno != EMFILE)) return peer;
  int failure = errno;
  if (!is_local(listener)) {
    errno = failure;
    return peer;
  }
  if (peer < 0) {
    // The process itself has used up what the fence keeps for it. The one in reserve takes the peer off the queue, or it would be
    // tried again without end.
    int reserve = atomic_exchange(&spare, -1);
    if (reserve < 0) {
      errno = ECONNABORTED;
      return -1;
    }
    close(reserve);
    peer = (int)syscall(SYS_accept4, listener, address, length, flags);
    int result = peer < 0 ? -1 : turn_away(peer);
    atomic_store(&spare, open("/dev/null", O_RDONLY | O_CLOEXEC));
    errno = ECONNABORTED;
    return result;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return peer;
  return (unsigned long)peer * 100 >= (unsigned long)limit.rlim_cur * (unsigned long)percent ? turn_away(peer) : peer;
}
