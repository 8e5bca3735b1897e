#!/bin/sh
# Writes this many bytes to stdout as fast as it can. Usage: flood.sh BYTES
yes "a line of an agent that never stops talking" | head -c "$1"
