#!/bin/sh
# Empties its own stream file, as scripts that write to /dev/stderr do unawares.
echo "first and long" >&2
sleep 0.1
echo "second" > /dev/stderr
