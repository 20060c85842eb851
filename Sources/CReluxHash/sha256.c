// A host hashes all images of its plugins at each start; libsodium 1.0.18 does that in plain C, which takes longer than all else that the
// host checks. Source: FIPS 180-4 for the padding and the constants, Intel's instruction reference for SHA256RNDS2, SHA256MSG1 and SHA256MSG2.
#include "CReluxHash.h"

#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static int has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

// The eight words of the state as the instructions want them, the first of each name in the highest lane.
typedef struct {
  __m128i abef, cdgh;
} hash_state;

__attribute__((target("sha,sse4.1,ssse3"))) static void take_blocks(hash_state *state, const uint8_t *bytes, size_t blocks) {
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  __m128i abef = state->abef, cdgh = state->cdgh;
  for (; blocks > 0; blocks--, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    // The last sixteen words of the message schedule, four in each.
    __m128i words[4];
    for (int i = 0; i < 4; i++) words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), big_endian);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      __m128i *now = &words[i % 4];
      const __m128i next = words[(i + 1) % 4], third = words[(i + 2) % 4], last = words[(i + 3) % 4];
      const __m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(round_constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (i < 12)
        *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, next), _mm_alignr_epi8(last, third, 4)), last);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  state->abef = abef;
  state->cdgh = cdgh;
}

static void put_word(uint8_t *place, uint32_t word) {
  for (int i = 0; i < 4; i++) place[i] = (uint8_t)(word >> (24 - 8 * i));
}

int relux_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
  if (!has_instructions()) return 0;
  hash_state state = {
      _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
      _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19)};
  const size_t whole = count / 64, rest = count % 64;
  take_blocks(&state, bytes, whole);
  // What is left, a set bit, zeros, and the number of bits in the last eight bytes: one block or two.
  uint8_t tail[128] = {0};
  if (rest > 0) memcpy(tail, bytes + 64 * whole, rest);
  tail[rest] = 0x80;
  const size_t blocks = rest < 56 ? 1 : 2;
  const uint64_t bits = (uint64_t)count * 8;
  put_word(tail + 64 * blocks - 8, (uint32_t)(bits >> 32));
  put_word(tail + 64 * blocks - 4, (uint32_t)bits);
  take_blocks(&state, tail, blocks);
  uint32_t abef[4], cdgh[4];
  memcpy(abef, &state.abef, sizeof abef);
  memcpy(cdgh, &state.cdgh, sizeof cdgh);
  const uint32_t words[8] = {abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]};
  for (int i = 0; i < 8; i++) put_word(digest + 4 * i, words[i]);
  return 1;
}

#else

int relux_sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
  (void)bytes, (void)count, (void)digest;
  return 0;
}

#endif
