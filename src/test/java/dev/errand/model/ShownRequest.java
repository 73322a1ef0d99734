package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A request that remembers the bodies with which it was sent. */
public record ShownRequest(ModelRequest request, List<JsonNode> bodies) implements RequestSource {

  public ShownRequest(ModelRequest request) {
    this(request, new ArrayList<>());
  }

  @Override
  public ModelRequest make() {
    return request;
  }

  @Override
  public long tokens() {
    return request.tokens();
  }

  @Override
  public void isSentAs(Supplier<JsonNode> body) {
    bodies.add(body.get());
  }

  @Override
  public void sent() {}
}
