#!/bin/sh
# Succeeds and leaves a child that keeps stdout open. Usage: leave-child.sh TOKEN
sleep "$1" &
echo done
exit 0
