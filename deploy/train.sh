#!/bin/sh
# Usage: train.sh <folder of quarkus-run.jar> <cache to write>
# Runs the service once, with a database of its own and without network: it starts, delegates a search over its own folder,
# answers, is scraped, and stops. Java then writes what it learnt into the cache. Needs curl.
set -eu
app=$1
cache=$2
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
port=${TRAINING_PORT:-8099}
url=http://127.0.0.1:$port
home=$(mktemp -d)

ERRAND_HOME=$home ERRAND_HOST=127.0.0.1 ERRAND_PORT=$port ERRAND_WORKSPACE=$app ERRAND_MODEL=offline:planner ERRAND_LOG_JSON=true \
  "$java" -XX:AOTCacheOutput="$cache" -XX:+UseG1GC -jar "$app/quarkus-run.jar" >"$home/training.log" 2>&1 &
service=$!
trap 'kill "$service" 2>/dev/null || true; cat "$home/training.log"' EXIT

curl -sf --retry 120 --retry-delay 1 --retry-all-errors -o /dev/null "$url/q/health/ready"

post() {
  curl -sf -X POST -H 'Content-Type: application/json' -H 'Prefer: wait=20' -d "$2" "$url$1"
}

for round in 1 2 3; do
  post /v1/tasks '{"description": "look", "prompt": "find quarkus", "subagent_type": "explore"}' >/dev/null
  session=$(post /v1/sessions '{}' | sed 's/.*"id":"\(ses_[0-9a-f]*\)".*/\1/')
  post "/v1/sessions/$session/messages" '{"text": "Where is the manifest?"}' >/dev/null
  for page in /v1/stats /q/metrics /q/openapi /q/health/live; do
    curl -sf -o /dev/null "$url$page"
  done
  echo "trained: round $round"
done

kill "$service"
wait "$service" || true
trap - EXIT
test -s "$cache" || { cat "$home/training.log"; exit 1; }
rm -rf "$home"
