package dev.errand.tool.shell;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The small process between this service and a command. It reads the command from its standard
 * input, starts it, and ends the command's tree when that input ends: because the service closes it
 * (time-out, cancel), or because the service is dead. It also ends the tree by itself a little
 * after the time-out, for a service that was stopped (SIGSTOP) keeps its end open.
 *
 * <p>The command arrives by the pipe and not as an argument because Java writes arguments in the
 * machine's own encoding, which has no umlauts where no locale is set.
 *
 * @param command the command's process: a program with its arguments, to which the command is added
 * @param marker found in the environment of everything the command starts, to find children that
 *     have changed their session; empty when killing {@code command} is enough, as with a PID
 *     namespace
 */
record Guard(List<String> command, String marker) {

  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final String SCRIPT =
      """
      seconds=$1 length=$2 marker=$3
      shift 3
      exec 3<&0 </dev/null
      command=$(head -c "$length" <&3; echo .)
      command=${command%.}
      ERRAND_CALL=$marker nice -n 10 setsid "$@" "$command" 3<&- &
      child=$!
      exec >/dev/null 2>&1
      marked() { grep -lzsx "ERRAND_CALL=$marker" /proc/[0-9]*/environ | cut -d/ -f3; }
      end() {
        kill -s KILL -- "-$child"
        kill -s KILL "$1"
        [ -n "$marker" ] || return
        for round in 1 2 3 4 5 6 7 8 9 10; do
          left=$(marked)
          [ -n "$left" ] || return
          kill -s KILL $left
        done
      }
      { timeout "$seconds" cat <&3; end "$child"; } &
      watch=$!
      wait "$child"
      code=$?
      end ""
      kill -s KILL "$watch"
      groups=$(ls -d /sys/fs/cgroup/errand-$child /sys/fs/cgroup/pids/errand-$child)
      for round in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$groups" ] || break
        rmdir $groups && break
        sleep 0.2
      done &
      exit "$code"
      """;

  /** The command line that runs {@code text} and ends it after {@code timeout} and some grace. */
  List<String> commandLine(byte[] text, Duration timeout) {
    var line = new ArrayList<>(List.of("setsid", "/bin/sh", "-c", SCRIPT, "errand-guard"));
    line.add(Long.toString(timeout.plus(GRACE).toSeconds()));
    line.add(Integer.toString(text.length));
    line.add(marker);
    line.addAll(command);
    return line;
  }

  static byte[] bytes(String command) {
    return command.getBytes(StandardCharsets.UTF_8);
  }
}
