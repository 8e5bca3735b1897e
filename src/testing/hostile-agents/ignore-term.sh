#!/bin/sh
# Ignores every polite signal, and so do its children. Usage: ignore-term.sh TOKEN
trap '' TERM INT HUP
sleep "$1" &
echo ready
while :; do sleep "$1"; done
