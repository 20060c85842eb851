// Why C: what a supervisor needs of a spawn (close every other descriptor, descriptors that are never visible to
// another thread's exec, a pidfd) is either a GNU extension, which Swift's Glibc module does not show, or a variadic
// system call, which Swift cannot call. fork() is no way out: Swift marks it unavailable, and between fork and exec
// of a threaded process nothing of Swift's runtime may run.
#ifndef CRELUXPROCESS_H
#define CRELUXPROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Starts `executable` (a path, no search) as the leader of a new process group. The child has /dev/null as input,
// `output` as standard output and error, `lifeline` as descriptor 3, no other descriptor, no blocked signal and
// default signal handling. Returns 0 and sets `pid`, or the errno of what failed, exec included.
int relux_process_spawn(
    const char *executable, char *const arguments[], char *const environment[], int output, int lifeline, pid_t *pid);

// A descriptor that becomes readable when the process has ended, or -1 with errno.
int relux_process_descriptor(pid_t pid);

// A pipe whose ends no child inherits: 0, or -1 with errno.
int relux_process_pipe(int ends[2]);

// From now on writes each SIGTERM, SIGINT and SIGHUP of this process to `descriptor`, as one byte. 0, or -1 with errno.
//
// A handler and not sigwait: libdispatch's main loop waits in sigsuspend with nothing blocked, so that under an async
// main no mask holds.
int relux_process_signals_to(int descriptor);

// Gives what is allocated no more back to the system; <malloc.h> is not in Swift's Glibc module.
void relux_process_trim(void);

// From now on a peer that connects to one of this process's Unix sockets is turned away at once when so many percent of the
// descriptors that the process may have are in use: the rest is for its own work. 0 takes the fence away.
void relux_descriptor_fence(int percent);

// Peers that were turned away since the start of the process; the process id of the last one, and when it came in seconds since 1970.
unsigned long relux_descriptor_turned_away(void);
pid_t relux_descriptor_last_peer(void);
int64_t relux_descriptor_last_time(void);

// From now on so many peers more are let in at this process's Unix socket at `path`, and all others are turned away at once until more
// room is given. One socket of a process at a time; the last one that was named.
void relux_door_open(const char *path, long room);

// Peers that were turned away there since the start of the process, and those that were let in.
unsigned long relux_door_turned_away(void);
unsigned long relux_door_let_in(void);

// What each process may send to the ipc socket at a path: so many bytes at once, and so many more each second. The connections of one process share
// them; that over which it sends more is ended before anybody has read it. At most 64 paths, later ones are not measured.
void relux_intake_open(const char *path, size_t bytes, size_t per_second);

// Nothing is measured at that path any more.
void relux_intake_close(const char *path);

// How often a connection was ended there since it was opened.
unsigned long relux_intake_cut(const char *path);

// Sets one of the limits of a process, soft and hard: RLIMIT_DATA (bytes), RLIMIT_NOFILE. 0, or the errno of what was refused.
int relux_process_limit(pid_t pid, int resource, unsigned long value);

// Each becomes what the other was, in one step. 0, or -1 with errno.
int relux_exchange_paths(const char *left, const char *right);

// Makes a hole of that part of a file, which reads as zeros: its length stays, and no room is needed. 0, or -1 with errno.
int relux_punch_hole(int descriptor, int64_t offset, int64_t count);

// Which file it is: its device, its number on that, and when it was made in nanoseconds since 1970, 0 of a folder and where the file system does not
// keep that.
struct relux_file {
    uint64_t device;
    uint64_t number;
    int64_t birth;
};

// Finds the file of a path, links followed, or of a descriptor where the path is NULL. 0, or -1 with errno.
int relux_file_find(int descriptor, const char *path, struct relux_file *file);

// Where another thread of this process is, the innermost first: at most `most` addresses of code, behind the first all of them return addresses.
// Returns how many there are; 0 when it is gone. One caller at a time.
//
// A thread that waits in the system is not disturbed: its stack is read from outside, page by page, so that one that goes meanwhile does no harm. One
// that runs is asked for its registers by a signal, which interrupts no call. Frames of code that keeps no frame pointers are left out.
int relux_thread_stack(pid_t thread, uintptr_t *addresses, int most);

// The library that holds an address, by its path; null for what no library holds. Writes the function there, mangled, at most `room` bytes with the
// zero behind it, the empty text when it has no name: functions that are not exported are looked up in the file, which takes milliseconds. Without
// room nothing is looked up.
const char *relux_code_library(uintptr_t address, char *name, size_t room);

// The running thread, as the system counts threads.
pid_t relux_thread_number(void);

// The running thread's name from now on, cut at 15 bytes. pthread_setname_np is a GNU extension that Swift does not see, and prctl is variadic.
int relux_name_this_thread(const char *name);

// Of Swift's runtime: a mangled name as people read it, to be freed; null for what is no such name.
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

#endif
