#!/bin/sh
# Starts a daemon that leaves group, session, parent and environment behind. Usage: daemonise.sh TOKEN [LINGER_S]
# The daemon stays under its parent for LINGER_S seconds, so that a sampler can see it before it is orphaned.
env -i /usr/bin/setsid sh -c '
  (exec sleep "$1" >/dev/null 2>&1 </dev/null) &
  sleep "$2"
' sh "$1" "${2:-0}" &
sleep "${2:-0}"
wait
