// CRC-32C by the processor's own instruction, which Swift cannot name.
#ifndef CRELUXCHECKSUM_H
#define CRELUXCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Whether this processor has the instruction (SSE 4.2, or CRC32 of ARMv8).
int relux_crc32c_is_available(void);

/// The CRC-32C of `count` bytes behind bytes whose checksum is `previous` (0 for none).
/// Only where `relux_crc32c_is_available()`: elsewhere the instruction is illegal.
uint32_t relux_crc32c(uint32_t previous, const void *bytes, size_t count);

#endif
