#ifndef CRELUXHASH_H
#define CRELUXHASH_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 of `count` bytes by the processor's own instructions, into 32 bytes.
///
/// Returns 0 and writes nothing where the processor has none; the caller then takes libsodium's.
int relux_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]);

#endif
