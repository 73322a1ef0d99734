package dev.errand.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jboss.logging.Logger;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.RecurringJob;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/**
 * Reads jobs from the database. A stored job names the class and the method that JobRunr calls, and
 * the classes of values that it creates. A job that names anything but a {@link RunSessionJob} or
 * an {@link UpkeepJob} is read as one for a session that does not exist, so that it does nothing.
 * The metadata, which are for JobRunr's dashboard, are not read.
 */
final class OwnJobs extends JobMapper {

  private static final Logger LOG = Logger.getLogger(OwnJobs.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final UUID NONE = new UUID(0, 0);
  private static final String RUN = RunSessionHandler.class.getName();
  private static final String UPKEEP = UpkeepHandler.class.getName();

  /** The class of the only parameter of each handler. */
  private static final Map<String, String> REQUESTS =
      Map.of(RUN, RunSessionJob.class.getName(), UPKEEP, UpkeepJob.class.getName());

  private static final String STATES = "org.jobrunr.jobs.states.";
  private static final String METADATA = "{\"@class\": \"java.util.concurrent.ConcurrentHashMap\"}";
  private static final String NO_RUN =
      """
      {"className": "%s", "methodName": "run", "cacheable": true,
       "jobParameters": [{"className": "%2$s", "actualClassName": "%2$s", "object": {"session": "%3$s"}}]}
      """
          .formatted(RUN, RunSessionJob.class.getName(), NONE);

  OwnJobs(JacksonJsonMapper json) {
    super(json);
  }

  static boolean isUpkeep(Job job) {
    return job.getJobDetails().getClassName().equals(UPKEEP);
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
      var job = (ObjectNode) JSON.readTree(stored);
      var known = job.deepCopy();
      if (!isOwn(job.path("jobDetails"))) {
        LOG.warnf(
            "Job %s is not one of this service and does nothing: it names %s",
            job.path("id").asText(), job.at("/jobDetails/className").asText());
        known.set("jobDetails", JSON.readTree(NO_RUN));
      }
      if (job.has("metadata")) {
        known.set("metadata", JSON.readTree(METADATA));
      }
      keepStates(known.path("jobHistory").elements());
      return known.equals(job) ? stored : JSON.writeValueAsString(known);
    } catch (JsonProcessingException unreadable) {
      return stored; // JobRunr reports it
    }
  }

  /** Returns whether the job calls a handler with its request, whose fields are texts. */
  private static boolean isOwn(JsonNode details) {
    var request = REQUESTS.get(details.path("className").asText());
    var parameters = details.path("jobParameters");
    return request != null
        && details.path("methodName").asText().equals("run")
        && !details.hasNonNull("staticFieldName")
        && parameters.size() == 1
        && parameters.at("/0/className").asText().equals(request)
        && parameters.at("/0/actualClassName").asText().equals(request)
        && !parameters.at("/0/object").has("@class")
        && hasNoObjects(parameters.at("/0/object"));
  }

  /** The fields of a state are texts and times. */
  private static void keepStates(Iterator<JsonNode> history) {
    while (history.hasNext()) {
      var entry = history.next();
      var isState = entry.path("@class").asText().startsWith(STATES) && hasNoObjects(entry);
      if (!isState) {
        history.remove();
      }
    }
  }

  private static boolean hasNoObjects(JsonNode fields) {
    return StreamSupport.stream(fields.spliterator(), false).noneMatch(JsonNode::isContainerNode);
  }
}
