package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.tool.FieldProblem;
import io.vertx.core.http.HttpServerResponse;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.List;

/** Answers requests with problem documents before a resource is chosen, and ends connections. */
@Singleton
class ProblemWriter {

  private static final int MAX_INSTANCE_LENGTH = 8_000;

  private final ObjectMapper mapper;

  ProblemWriter(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * @param path the path of the request; one that is too long is left out
   */
  void answer(
      HttpServerResponse response,
      Response.StatusType status,
      String detail,
      String path,
      List<FieldProblem> errors) {
    var instance = path.length() > MAX_INSTANCE_LENGTH ? "/" : path;
    if (response.streamId() < 0) {
      response.putHeader("Connection", "close"); // HTTP/2 does not have it
    }
    response
        .setStatusCode(status.getStatusCode())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .end(json(Problem.of(status, detail, instance, errors)));
  }

  private String json(Problem problem) {
    try {
      return mapper.writeValueAsString(problem);
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
