#!/bin/sh
# A child of the supervisor's tests: what it does is in BEHAVIOUR; it says so into the pipe FIFO.
say() { [ -z "$FIFO" ] || echo "$1" > "$FIFO"; }
case "$BEHAVIOUR" in
crash) kill -ILL $$ ;;
exit) exit "$STATUS" ;;
stubborn)
    trap '' TERM
    say up
    while :; do sleep 1; done
    ;;
lifeline)
    say up
    read -r _ <&3
    say drained
    ;;
leaves-a-child)
    sleep 1000 &
    say $!
    exit 0
    ;;
*)
    say up
    exec sleep 1000
    ;;
esac
