#!/bin/sh
# Usage: unseal.sh <directory of quarkus-run.jar>
# Removes the seal of the package org.tukaani.xz: a virtual machine that finds a class of a sealed package in its AOT cache
# does not start. Run it before train.sh. Needs a JDK.
set -eu
manifest=$(mktemp)
echo 'Sealed: false' >"$manifest"
for library in "$1"/lib/main/org.tukaani.xz-*.jar; do
  "${JAVA_HOME:+$JAVA_HOME/bin/}jar" --update --date=2026-01-01T00:00:00Z --file "$library" --manifest "$manifest" 2>/dev/null
done
rm "$manifest"
