// See CReluxProcess.h.
#define _GNU_SOURCE
#include "CReluxProcess.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// What of a stack is looked at.
#define STACK_BYTES (256 * 1024)
#define PAGE 4096
// The room for arguments between a saved frame pointer and its return address, at most.
#define ROOM_BYTES 512
// Swift marks the frames of asynchronous code with this bit of the saved frame pointer.
#define ASYNC_MARK ((uintptr_t)1 << 60)

// --- Where code is.

struct code {
  uintptr_t start;
  uintptr_t end;
};

// As of the last look: a stack has thousands of words to be asked for. What finds no place here is no code.
static struct code codes[1024];
static int code_count;

static int add_code(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (code_count == sizeof codes / sizeof codes[0]) return 1;
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    codes[code_count++] = (struct code){start, start + header->p_memsz};
  }
  return 0;
}

// Where the code of the library begins that holds this address; 0 when none does.
static uintptr_t image_of(uintptr_t address) {
  for (int index = 0; index < code_count; index++) {
    if (address > codes[index].start && address <= codes[index].end) return codes[index].start;
  }
  return 0;
}

// Whether a call stands before the address, so that it may be one to return to. Behind `image_of` only: it is read.
static int follows_call(uintptr_t address, uintptr_t image) {
  if (address < image + 8) return 0;
  const unsigned char *code = (const unsigned char *)address;
#if defined(__x86_64__)
  if (code[-5] == 0xe8) return 1;
  // Through a register or memory: the operation's second byte has a 2 in the middle.
  for (int length = 2; length <= 7; length++) {
    if (code[-length] == 0xff && ((code[-length + 1] >> 3) & 7) == 2) return 1;
  }
  return 0;
#elif defined(__aarch64__)
  uint32_t before;
  memcpy(&before, code - 4, sizeof before);
  return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000;
#else
  return 0;
#endif
}

// --- Reading a stack that another thread uses. A page that is gone ends it, and nothing else.

static size_t read_stack(uintptr_t from, unsigned char *into, size_t size) {
  size_t have = 0;
  while (have < size) {
    uintptr_t at = from + have;
    size_t count = PAGE - at % PAGE;
    if (count > size - have) count = size - have;
    struct iovec local = {into + have, count};
    struct iovec remote = {(void *)at, count};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)count) break;
    have += count;
  }
  return have;
}

struct stack {
  const unsigned char *bytes;
  size_t size;
  // The address of the first byte.
  uintptr_t base;
};

static uintptr_t word(const struct stack *stack, size_t offset) {
  uintptr_t value;
  memcpy(&value, stack->bytes + offset, sizeof value);
  return value;
}

// The return address of the frame whose saved frame pointer lies at `offset`; 0 when it has none. Mostly it stands beside that. An asynchronous
// function that hands arguments on by the stack makes room for them first: there it stands further up, behind that room.
static uintptr_t return_address(const struct stack *stack, size_t offset) {
  for (size_t place = offset + 8; place <= offset + ROOM_BYTES && place + 8 <= stack->size; place += 8) {
    uintptr_t address = word(stack, place), image = image_of(address);
    if (image && follows_call(address, image)) return address;
  }
  return 0;
}

// Follows saved frame pointers from `offset`; the return addresses that belong to them. `end` is where the last of them lies.
static int follow(const struct stack *stack, size_t offset, uintptr_t *into, int most, size_t *end) {
  int count = 0;
  while (count < most && offset + 16 <= stack->size) {
    uintptr_t next = word(stack, offset) & ~ASYNC_MARK, address = return_address(stack, offset);
    if (!address) break;
    into[count++] = address;
    *end = offset;
    if (next <= stack->base + offset || next >= stack->base + stack->size || next % 8 != 0) break;
    offset = next - stack->base;
  }
  return count;
}

// Of a thread that waits: the functions of the C library that it waits in keep no frame pointers. Who has called them is the first to whom
// somebody returns outside of that library; from there on the first chain of frames that leads furthest out. What calls before have left in the
// room of a large frame are chains too, but those end inside of it.
static int chain(const struct stack *stack, uintptr_t pc, uintptr_t *into, int most) {
  uintptr_t library = image_of(pc);
  int count = 0;
  size_t offset = 0;
  for (; offset + 8 <= stack->size && offset < 16 * 1024; offset += 8) {
    uintptr_t address = word(stack, offset), image = image_of(address);
    if (!image || image == library || !follows_call(address, image)) continue;
    if (count < most) into[count++] = address;
    break;
  }
  size_t best = 0, furthest = 0;
  for (; offset + 16 <= stack->size && offset < 32 * 1024; offset += 8) {
    uintptr_t next = word(stack, offset) & ~ASYNC_MARK;
    if (next <= stack->base + offset || next >= stack->base + stack->size || next % 8 != 0) continue;
    size_t end = 0;
    if (follow(stack, offset, into + count, most - count, &end) < 3 || end <= furthest) continue;
    best = offset;
    furthest = end;
  }
  return best ? count + follow(stack, best, into + count, most - count, &furthest) : count;
}

// --- A thread that runs is asked for its registers.

static atomic_uintptr_t asked_pc, asked_frame;
// The thread that has answered; one that was asked before may do so late.
static atomic_int answered_by;

static void answer(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)info;
  int kept = errno;
  ucontext_t *registers = context;
#if defined(__x86_64__)
  atomic_store(&asked_pc, (uintptr_t)registers->uc_mcontext.gregs[REG_RIP]);
  atomic_store(&asked_frame, (uintptr_t)registers->uc_mcontext.gregs[REG_RBP]);
#elif defined(__aarch64__)
  atomic_store(&asked_pc, (uintptr_t)registers->uc_mcontext.pc);
  atomic_store(&asked_frame, (uintptr_t)registers->uc_mcontext.regs[29]);
#else
  (void)registers;
#endif
  atomic_store(&answered_by, (int)syscall(SYS_gettid));
  errno = kept;
}

// By SIGPROF, since the threads of libdispatch's pools take few others. Where a profiler uses that already it stays its own.
static int ask(pid_t thread, uintptr_t *pc, uintptr_t *frame) {
  int number = SIGPROF;
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, earlier;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &earlier) != 0) return -1;
  int is_ours = earlier.sa_flags & SA_SIGINFO && earlier.sa_sigaction == answer;
  if (!is_ours && (earlier.sa_flags & SA_SIGINFO || (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN))) return -1;
  if (!is_ours && sigaction(number, &action, NULL) != 0) return -1;
  atomic_store(&answered_by, 0);
  if (syscall(SYS_tgkill, getpid(), thread, number) != 0) return -1;
  for (int round = 0; round < 100; round++) {
    if (atomic_load(&answered_by) == thread) {
      *pc = atomic_load(&asked_pc);
      *frame = atomic_load(&asked_frame);
      return 0;
    }
    struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  return -1;
}

int relux_thread_stack(pid_t thread, uintptr_t *addresses, int most) {
  if (most < 1) return 0;
  char path[64], text[256] = {0};
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  int is_running = strncmp(text, "running", 7) == 0;
  uintptr_t pc = 0, base = 0;
  if (is_running) {
    if (ask(thread, &pc, &base) != 0) return 0;
  } else {
    // `number a0 a1 a2 a3 a4 a5 sp pc`, or `-1 sp pc` outside of a call.
    char *last = strrchr(text, ' ');
    if (!last) return 0;
    pc = strtoull(last + 1, NULL, 16);
    *last = 0;
    char *before = strrchr(text, ' ');
    if (!before) return 0;
    base = strtoull(before + 1, NULL, 16);
  }
  addresses[0] = pc;
  code_count = 0;
  dl_iterate_phdr(add_code, NULL);
  base &= ~(uintptr_t)7;
  static unsigned char bytes[STACK_BYTES];
  struct stack stack = {bytes, read_stack(base, bytes, sizeof bytes), base};
  size_t end;
  return 1 + (is_running ? follow(&stack, 0, addresses + 1, most - 1, &end) : chain(&stack, pc, addresses + 1, most - 1));
}

pid_t relux_thread_number(void) { return (pid_t)syscall(SYS_gettid); }

int relux_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
