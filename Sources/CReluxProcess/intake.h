#ifndef RELUX_INTAKE_H
#define RELUX_INTAKE_H

// A peer has come in at a listener: what it sends is measured from now on where the listener is one of those that measure.
void relux_intake_accepted(int listener, int peer);

#endif
