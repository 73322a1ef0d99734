package dev.errand.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jboss.logging.Logger;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.RecurringJob;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/**
 * Reads jobs from the database. A stored job names the class and the method that JobRunr calls, and
 * the classes of values that it creates. A job that names anything but a {@link RunSessionJob} is
 * read as one for a session that does not exist, so that it does nothing.
 */
final class OwnJobs extends JobMapper {

  private static final Logger LOG = Logger.getLogger(OwnJobs.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final UUID NONE = new UUID(0, 0);
  private static final String HANDLER = RunSessionHandler.class.getName();
  private static final String REQUEST = RunSessionJob.class.getName();
  private static final String STATES = "org.jobrunr.jobs.states.";
  private static final String METADATA = "{\"@class\": \"java.util.concurrent.ConcurrentHashMap\"}";
  private static final String NO_RUN =
      """
      {"className": "%s", "methodName": "run", "cacheable": true,
       "jobParameters": [{"className": "%2$s", "actualClassName": "%2$s", "object": {"session": "%3$s"}}]}
      """
          .formatted(HANDLER, REQUEST, NONE);

  OwnJobs(JacksonJsonMapper json) {
    super(json);
  }

  @Override
  public Job deserializeJob(String stored) {
    return super.deserializeJob(own(stored));
  }

  @Override
  public RecurringJob deserializeRecurringJob(String stored) {
    return super.deserializeRecurringJob(own(stored));
  }

  private static String own(String stored) {
    try {
      var job = JSON.readTree(stored);
      if (isOwn(job)) {
        return stored;
      }
      LOG.warnf(
          "Job %s is not one of this service and does nothing: it names %s",
          job.path("id").asText(), job.at("/jobDetails/className").asText());
      return JSON.writeValueAsString(withoutForeignClasses((ObjectNode) job));
    } catch (JsonProcessingException unreadable) {
      return stored; // JobRunr reports it
    }
  }

  private static boolean isOwn(JsonNode job) {
    var details = job.path("jobDetails");
    var parameters = details.path("jobParameters");
    return details.path("className").asText().equals(HANDLER)
        && details.path("methodName").asText().equals("run")
        && !details.hasNonNull("staticFieldName")
        && parameters.size() == 1
        && parameters.at("/0/className").asText().equals(REQUEST)
        && parameters.at("/0/actualClassName").asText().equals(REQUEST)
        && !parameters.at("/0/object").has("@class")
        && job.path("metadata").size() <= 1
        && hasOnlyStates(job.path("jobHistory"));
  }

  private static boolean hasOnlyStates(JsonNode history) {
    return StreamSupport.stream(history.spliterator(), false).allMatch(OwnJobs::isState);
  }

  private static boolean isState(JsonNode entry) {
    return entry.path("@class").asText().startsWith(STATES)
        && StreamSupport.stream(entry.spliterator(), false).noneMatch(JsonNode::isContainerNode);
  }

  private static ObjectNode withoutForeignClasses(ObjectNode job) throws JsonProcessingException {
    job.retain(Set.of("id", "version", "jobHistory", "jobName", "labels"));
    job.set("jobDetails", JSON.readTree(NO_RUN));
    job.set("metadata", JSON.readTree(METADATA));
    var history = job.withArray("jobHistory").elements();
    while (history.hasNext()) {
      if (!isState(history.next())) {
        history.remove();
      }
    }
    return job;
  }
}
