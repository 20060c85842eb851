// Why C: it has to be done before anything of Swift's runtime or of libdispatch runs, which take the lowest numbers that are free.
#ifndef CRELUXSTANDARD_H
#define CRELUXSTANDARD_H

// Whether one of the three standard descriptors was closed when the program began. It is /dev/null since then, for reading: what is written to it fails
// as before, and counts as not written.
int relux_standard_was_closed(int descriptor);

#endif
