package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.tenant.Tenant;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;

/** Reloads changed agent files within a second, in development mode only. */
@IfBuildProfile("dev")
@ApplicationScoped
class AgentFilesWatch {

  private static final Logger LOG = Logger.getLogger(AgentFilesWatch.class);

  private final Agents agents;
  private final AgentFiles files;
  private Map<Path, FileTime> seen;

  AgentFilesWatch(Agents agents, AgentFiles files) {
    this.agents = agents;
    this.files = files;
    this.seen = times();
  }

  /** A broken file is logged, and the definitions stay as they were. */
  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void look() {
    var now = times();
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      agents.reload(Tenant.DEFAULT);
    } catch (BrokenFile broken) {
      LOG.errorf("The agents were not reloaded: %s", broken.getMessage());
    }
  }

  private Map<Path, FileTime> times() {
    var times = new HashMap<Path, FileTime>();
    for (var file : files.directory(Tenant.DEFAULT).files()) {
      try {
        times.put(file, Files.getLastModifiedTime(file));
      } catch (IOException deleted) {
        times.remove(file);
      }
    }
    return times;
  }
}
