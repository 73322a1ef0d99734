#!/bin/sh
# Usage: cache.sh <directory of quarkus-run.jar> [<URL> | now]
# Makes the AOT cache errand.aot of the service, unless there is one that fits this JDK, its options and these jars: in the background,
# with a URL as soon as it answers; with "now" in the foreground. Needs curl.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$(cd "$1" && pwd)
when=${2:-}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
cache=$app/errand.aot
log=$app/training.log
lock=$app/training.pid
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS

# With -XX:AOTMode=on, Java ends with an error if it cannot use the cache.
fits() {
  [ -e "$cache" ] && "$java" "@$here/java.options" "-XX:AOTCache=$cache" -XX:AOTMode=on -cp "$app/quarkus-run.jar" -version >/dev/null 2>&1
}

# One training at a time. The lock of a process that was killed does not count.
lock() {
  (set -C && echo $$ >"$lock") 2>/dev/null && return
  kill -0 "$(cat "$lock")" 2>/dev/null && return 1
  echo $$ >"$lock"
}

# At most two minutes, and while the service runs, which is the process that started this script.
await() {
  attempts=0
  until curl -gsf -o /dev/null "$1"; do
    attempts=$((attempts + 1))
    kill -0 "$PPID" 2>/dev/null || exit 0
    [ "$attempts" -lt 600 ] || return 1
    sleep 0.2
  done
}

command -v curl >/dev/null || { echo "There is no start-up cache: curl is needed to make it" >&2; exit 0; }
case $when in
  now | "") ;;
  *) await "$when" || { echo "The start-up cache is not checked: $when has not answered within two minutes" >&2; exit 0; } ;;
esac
if fits; then
  exit 0
fi
if [ "$when" = now ]; then
  lock || exit 0
  trap 'rm -f "$lock"' EXIT
  nice -n 19 sh "$here/train.sh" "$app" "$cache"
else
  echo "Making the start-up cache for this build and this JDK in the background, which takes about a minute; its log is $log" >&2
  nohup sh "$0" "$app" now >"$log" 2>&1 </dev/null &
fi
