#define _GNU_SOURCE
#include "CReluxProcess.h"
#include "intake.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// libzmq 4.3.4 aborts the process when accept() finds no descriptor left (ipc_listener.cpp), and a thread that looks once a second
// is too slow for a peer that connects a thousand times in a tenth of that. So the fence is where the descriptor is made: this is
// the accept4 that libzmq, linked behind us, finds first. The kernel gives the lowest free number, so a number at the fence says
// that as many are in use.

static _Atomic int fence_percent;
static _Atomic int spare = -1;
static _Atomic unsigned long turned_away;
static _Atomic pid_t last_peer;
static _Atomic int64_t last_time;

void relux_descriptor_fence(int percent) {
  int expected = -1;
  int fresh = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fresh >= 0 && !atomic_compare_exchange_strong(&spare, &expected, fresh)) close(fresh);
  atomic_store(&fence_percent, percent);
}

unsigned long relux_descriptor_turned_away(void) { return atomic_load(&turned_away); }

pid_t relux_descriptor_last_peer(void) { return atomic_load(&last_peer); }

int64_t relux_descriptor_last_time(void) { return atomic_load(&last_time); }

static int hang_up(int peer) {
  close(peer);
  errno = ECONNABORTED;  // what a peer that hangs up at once looks like; every server takes it
  return -1;
}

static int turn_away(int peer) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) atomic_store(&last_peer, credentials.pid);
  atomic_store(&last_time, time(NULL));
  atomic_fetch_add(&turned_away, 1);
  return hang_up(peer);
}

// A socket that lets in a number of peers, until more room is given: each of them costs memory before it has said a word.
static pthread_mutex_t door_lock = PTHREAD_MUTEX_INITIALIZER;
static char door[sizeof(((struct sockaddr_un *)0)->sun_path)];
static size_t door_length;
static long door_room;
static _Atomic unsigned long door_closed;
static _Atomic unsigned long door_let_in;

void relux_door_open(const char *path, long room) {
  size_t length = strlen(path);
  pthread_mutex_lock(&door_lock);
  door_length = length < sizeof door ? length : 0;
  memcpy(door, path, door_length);
  door_room = room;
  pthread_mutex_unlock(&door_lock);
}

unsigned long relux_door_turned_away(void) { return atomic_load(&door_closed); }

unsigned long relux_door_let_in(void) { return atomic_load(&door_let_in); }

static int is_door_closed(int listener) {
  struct sockaddr_un address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX) return 0;
  pthread_mutex_lock(&door_lock);
  int is_it = door_length > 0 && strnlen(address.sun_path, sizeof address.sun_path) == door_length &&
              memcmp(address.sun_path, door, door_length) == 0;
  int is_closed = is_it && door_room <= 0;
  if (is_it && !is_closed) {
    door_room--;
    atomic_fetch_add(&door_let_in, 1);
  }
  pthread_mutex_unlock(&door_lock);
  return is_closed;
}

static int is_local(int listener) {
  int family = 0;
  socklen_t length = sizeof family;
  return getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 && family == AF_UNIX;
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
  int percent = atomic_load(&fence_percent);
  int peer = (int)syscall(SYS_accept4, listener, address, length, flags);
  if (peer >= 0 && is_door_closed(listener)) {
    atomic_fetch_add(&door_closed, 1);
    return hang_up(peer);
  }
  if (peer >= 0) relux_intake_accepted(listener, peer);
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
