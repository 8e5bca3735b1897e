#!/bin/sh
# Says nothing for a very long time. Usage: silent.sh TOKEN
exec sleep "$1"
