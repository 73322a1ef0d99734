#!/bin/sh
# Usage: train.sh <directory of quarkus-run.jar> <cache to write> [<new home to keep>]
# Starts the service once so that it creates its database, then trains it without network: it delegates a search over its own
# directory, answers, is scraped, works on TRAINING_TASKS tasks of other agents whose model is dev.errand.demo.TrainCommand, and
# stops. Java then writes what it has learnt into the cache. TRAINING_OPTIONS are further options of Java. Needs curl.
# So that Java learns from few tasks what a node learns from many, it counts each call of a method in the packages below as 20. With all
# packages, a start would compile more.
# With a third argument the service creates its database while it is trained, which costs less but trains more than a later start
# needs: for tests. Then it is started with the cache and a new home, which is copied there with its new, empty database.
# No setting of the caller reaches the service: neither the environment nor files in this directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$(cd "$1" && pwd)
cache=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
keep=${3:-}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
port=${TRAINING_PORT:-$((30000 + $$ % 1350 * 2))}
rounds=${TRAINING_ROUNDS:-3}
tasks=${TRAINING_TASKS:-300}
model_port=$((port + 1))
url=http://127.0.0.1:$port
home=$(mktemp -d)
packages="dev/errand org/postgresql org/jdbi com/fasterxml io/agroal com/arjuna io/vertx io/netty org/jboss/resteasy dev/langchain4j
  io/quarkus/arc io/quarkus/narayana io/quarkus/resteasy io/quarkus/vertx io/smallrye/context io/micrometer org/jobrunr
  jdk/internal/net/http sun/nio/ch"

service=
failed() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  cat "$home/training.log"
  rm -rf "$home" "$cache.new"
}
trap failed EXIT

start() {
  (cd "$home" && exec env -i PATH="$PATH" LANG="${LANG:-C.UTF-8}" ERRAND_HOME="$home" ERRAND_HOST=127.0.0.1 ERRAND_PORT="$port" \
    ERRAND_WORKSPACE="$app" ERRAND_MODEL=offline:planner ERRAND_LOG_JSON=true \
    OPENAI_BASE_URL="http://127.0.0.1:$model_port/v1" OPENAI_API_KEY=training \
    "$java" "$@" -jar "$app/quarkus-run.jar" >>"$home/training.log" 2>&1) &
  service=$!
  until curl -sf -o /dev/null "$url/q/health/ready"; do
    kill -0 "$service"
    sleep 0.1
  done
}

stop() {
  kill "$service"
  wait "$service" || true
}

post() {
  curl -sf -X POST -H 'Content-Type: application/json' -H 'Prefer: wait=20' -d "$2" "$url$1"
}

set --
if [ -z "$keep" ]; then
  start -XX:+UseSerialGC -XX:TieredStopAtLevel=1
  stop
  set -- -XX:CompileCommand=quiet
  for package in $packages; do
    set -- "$@" "-XX:CompileCommand=CompileThresholdScaling,$package/*.*,0.05"
  done
fi

# shellcheck disable=SC2086 # several options
start "@$here/java.options" -XX:AOTCacheOutput="$cache.new" "$@" ${TRAINING_OPTIONS:-}
for round in $(seq "$rounds"); do
  post /v1/tasks '{"description": "look", "prompt": "find quarkus", "subagent_type": "explore"}' >/dev/null
  session=$(post /v1/sessions '{}' | sed 's/.*"id":"\(ses_[0-9a-f]*\)".*/\1/')
  post "/v1/sessions/$session/messages" '{"text": "Where is the manifest?"}' >/dev/null
  for page in /v1/stats /q/metrics /q/openapi /q/health/live; do
    curl -sf -o /dev/null "$url$page"
  done
  echo "trained: round $round"
done
if [ "$tasks" -gt 0 ]; then
  (cd "$home" && env -i PATH="$PATH" LANG="${LANG:-C.UTF-8}" \
    "$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$app/quarkus-run.jar" dev.errand.demo.TrainCommand "$url" "$model_port" "$tasks")
  echo "trained: $tasks tasks"
fi
stop

test -s "$cache.new"
mv "$cache.new" "$cache"
if [ -n "$keep" ]; then
  find "$home" -mindepth 1 -maxdepth 1 ! -name postgres-bin ! -name training.log -exec rm -rf {} +
  start "@$here/java.options" -XX:TieredStopAtLevel=1 -XX:AOTCache="$cache"
  stop
  rm -rf "$home/postgres-bin" "$keep"
  cp -a "$home" "$keep"
fi
trap - EXIT
rm -rf "$home"
