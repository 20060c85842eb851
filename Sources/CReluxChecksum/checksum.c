// See CReluxChecksum.h.
#include "CReluxChecksum.h"

#include <string.h>

#if defined(__x86_64__)

#include <nmmintrin.h>

#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define STEP8(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define STEP1(crc, byte) _mm_crc32_u8(crc, byte)

int relux_crc32c_is_available(void) { return __builtin_cpu_supports("sse4.2") != 0; }

#elif defined(__aarch64__) && defined(__linux__)

#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#define WITH_INSTRUCTION __attribute__((target("crc")))
#define STEP8(crc, word) __crc32cd(crc, word)
#define STEP1(crc, byte) __crc32cb(crc, byte)

int relux_crc32c_is_available(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

#else

int relux_crc32c_is_available(void) { return 0; }
uint32_t relux_crc32c(uint32_t previous, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return previous;
}

#endif

#ifdef WITH_INSTRUCTION

WITH_INSTRUCTION uint32_t relux_crc32c(uint32_t previous, const void *bytes, size_t count) {
    const uint8_t *place = bytes;
    uint32_t crc = ~previous;
    for (; count >= 8; count -= 8, place += 8) {
        // Both kinds of processor are little-endian here, as the checksum wants the bytes.
        uint64_t word;
        memcpy(&word, place, sizeof word);
        crc = STEP8(crc, word);
    }
    for (; count > 0; count -= 1, place += 1) crc = STEP1(crc, *place);
    return ~crc;
}

#endif
