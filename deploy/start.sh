#!/bin/sh
# Usage: start.sh <directory of quarkus-run.jar> [<option of Java>...]
# Runs the service in place of this shell, with its AOT cache. A cache that is absent or does not fit is made in the background when
# the service is ready. A service that only this machine reaches knows the address of its console, unless it is configured.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$(cd "$1" && pwd)
shift
cache=$app/errand.aot

case ${ERRAND_HOST:-} in
  "" | 0.0.0.0 | ::) host=127.0.0.1 ;;
  *:*) host=[$ERRAND_HOST] ;;
  *) host=$ERRAND_HOST ;;
esac
case ${ERRAND_HOST:-$host} in
  127.* | localhost | ::1) export LOCAL_CONSOLE_URL="http://$host:${ERRAND_PORT:-8080}/console" ;;
esac
sh "$here/cache.sh" "$app" "http://$host:${ERRAND_MANAGEMENT_PORT:-${ERRAND_PORT:-8080}}/q/health/ready" &
[ ! -e "$cache" ] || set -- "-XX:AOTCache=$cache" "$@"
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "@$here/java.options" "$@" -jar "$app/quarkus-run.jar"
