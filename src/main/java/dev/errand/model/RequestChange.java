package dev.errand.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A change of a request for an endpoint that refuses it as it is. */
sealed interface RequestChange {

  /**
   * Reads what a refusal says about a request; empty if no change helps. Neither the model nor the
   * conversation nor the tools are ever left out.
   */
  static Optional<RequestChange> in(int status, String body, ObjectNode request) {
    return RefusedRequest.change(status, RefusalBody.of(body), request);
  }

  /** Changes the request. Does nothing to one that is already changed. */
  void applyTo(ObjectNode request);

  /** Returns what is done, as the end of a sentence about the endpoint and the model. */
  String said();

  /** A parameter that the endpoint knows by another name. */
  record Rename(String from, String to) implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      var value = request.remove(from);
      if (value != null && !request.has(to)) {
        request.set(to, value);
      }
    }

    @Override
    public String said() {
      return from + " is sent as " + to;
    }
  }

  /**
   * A parameter with a largest value.
   *
   * @param field its path
   */
  record Lower(String field, long most) implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      RequestFields.owner(request, field)
          .filter(owner -> owner.path(RequestFields.name(field)).asLong() > most)
          .ifPresent(owner -> owner.put(RequestFields.name(field), most));
    }

    @Override
    public String said() {
      return "%s is at most %d".formatted(field, most);
    }
  }

  /**
   * A parameter that is not taken.
   *
   * @param field its path
   */
  record LeaveOut(String field) implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      RequestFields.owner(request, field)
          .ifPresent(owner -> owner.remove(RequestFields.name(field)));
    }

    @Override
    public String said() {
      return field + " is left out";
    }
  }

  /** A field that is not taken in messages, their parts and calls, and in tools. */
  record LeaveOutOfParts(String field) implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      RequestFields.parts(request).forEach(part -> part.remove(field));
    }

    @Override
    public String said() {
      return field + " is left out of messages and tools";
    }
  }

  /** An endpoint that cannot stream. Ollama streams unless the request says no. */
  record AskForTheWhole() implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      request.put("stream", false);
      request.remove("stream_options");
    }

    @Override
    public String said() {
      return "answers are not streamed";
    }
  }

  /**
   * A model that wants the reasoning of each answer back, also of answers that another model gave.
   * DeepSeek accepts any text, Moonshot none that is empty.
   */
  record AddReasoning() implements RequestChange {

    private static final String FIELD = "reasoning_content";

    @Override
    public void applyTo(ObjectNode request) {
      RequestFields.messages(request, "assistant")
          .filter(message -> message.path(FIELD).asText().isEmpty())
          .forEach(message -> message.put(FIELD, " "));
    }

    @Override
    public String said() {
      return "answers without reasoning get an empty one";
    }
  }

  /**
   * Adds the signature of each call, which Gemini wants back, also of calls that another model
   * made; this is the signature that it documents for them
   * (ai.google.dev/gemini-api/docs/thought-signatures).
   *
   * @param all whether signatures are replaced that it does not accept
   */
  record AddSignature(boolean all) implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      RequestFields.messages(request, "assistant")
          .map(message -> message.at("/tool_calls/0"))
          .flatMap(RequestFields::object)
          .filter(call -> all || !call.at("/extra_content/google/thought_signature").isTextual())
          .forEach(call ->
              call.withObject("/extra_content/google")
                  .put("thought_signature", "skip_thought_signature_validator"));
    }

    @Override
    public String said() {
      return "calls of other models get a signature that is not checked";
    }
  }

  /** A model without a role for instructions gets them with the first message of the user. */
  record InstructionsAsUser() implements RequestChange {

    @Override
    public void applyTo(ObjectNode request) {
      var instructions = instructions(request).toList();
      if (instructions.isEmpty()) {
        return;
      }
      var text = String.join("\n\n", instructions.stream().map(RequestFields::text).toList());
      var user = RequestFields.messages(request, "user").findFirst();
      if (user.isEmpty()) {
        instructions.forEach(message -> message.put("role", "user"));
        return;
      }
      RequestFields.prepend(user.get(), text);
      RequestFields.remove(request, List.copyOf(instructions));
    }

    static Stream<ObjectNode> instructions(ObjectNode request) {
      return Stream.concat(
          RequestFields.messages(request, "system"), RequestFields.messages(request, "developer"));
    }

    @Override
    public String said() {
      return "instructions are part of the first message of the user";
    }
  }
}
