package dev.errand.kit;

import dev.errand.agent.Agents;
import dev.errand.conversation.MessageRole;
import dev.errand.model.LanguageModel;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelProvider;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelRequest;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A model whose answers tests script. The script of a root session is found by the name of its
 * model, the script of a child by its prompt. A call without a script fails the run and the test,
 * and so does a request that a provider would refuse.
 */
@Singleton
public class ScriptedModel implements ModelProvider {

  static final String PROVIDER = "scripted";

  /**
   * The default model of sessions in tests. Only children use it, because external parents make no
   * model calls.
   */
  public static final String NAME = PROVIDER + ":children";

  /** The same scripts at an endpoint that takes one call at a time. */
  @Singleton
  public static class OneAtATime implements ModelProvider {

    public static final String NAME = "single:children";

    private final ScriptedModel scripts;

    OneAtATime(ScriptedModel scripts) {
      this.scripts = scripts;
    }

    @Override
    public String name() {
      return "single";
    }

    @Override
    public Optional<Integer> maxConcurrent() {
      return Optional.of(1);
    }

    @Override
    public Optional<String> problem(String model) {
      return Optional.empty();
    }

    @Override
    public LanguageModel model(String model) {
      return scripts.model(model);
    }
  }

  private final Provider<Agents> agents;
  private final Map<String, Script> roots = new ConcurrentHashMap<>();
  private final Map<String, Script> children = new ConcurrentHashMap<>();
  private final List<String> faults = new CopyOnWriteArrayList<>();
  private volatile @Nullable Function<String, Script> otherChildren;

  /**
   * @param agents which need the names of all models, so they are looked up when they are needed
   */
  ScriptedModel(Provider<Agents> agents) {
    this.agents = agents;
  }

  void root(String model, Script script) {
    roots.put(model, script);
  }

  Script root(String model) {
    return Objects.requireNonNull(roots.get(model));
  }

  void child(String prompt, Script script) {
    children.put(prompt, script);
  }

  /** Supplies scripts for prompts that have none, one script per prompt. */
  void otherChildren(Function<String, Script> byPrompt) {
    otherChildren = byPrompt;
  }

  /** Calls without a script, and refused requests, since the last {@link #forget}. */
  List<String> faults() {
    return List.copyOf(faults);
  }

  void forget() {
    roots.clear();
    children.clear();
    faults.clear();
    otherChildren = null;
  }

  @Override
  public String name() {
    return PROVIDER;
  }

  /** Roots are away on their own, so that a test can let the children of one continue. */
  @Override
  public String endpoint(String model) {
    return PROVIDER + ":" + model;
  }

  @Override
  public Optional<String> problem(String model) {
    return Optional.empty();
  }

  @Override
  public LanguageModel model(String model) {
    return source -> {
      var request = source.make();
      source.sent();
      return reply(PROVIDER + ":" + model, request);
    };
  }

  private ModelReply reply(String model, ModelRequest request) {
    refuseAsProvidersDo(request);
    try {
      return script(model, request).next(request);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ModelException(Code.MODEL_INTERRUPTED, "the call was interrupted");
    } catch (Script.Unscripted call) {
      faults.add("no script: " + call.getMessage() + ": " + request.conversation());
      throw new ModelException(Code.MODEL_REJECTED_REQUEST, "the test has no script for this call");
    }
  }

  private void refuseAsProvidersDo(ModelRequest request) {
    var refusals = StubWire.refusalsOf(request);
    if (!refusals.isEmpty()) {
      faults.add("refused: " + refusals);
      throw new ModelException(Code.MODEL_REJECTED_REQUEST, refusals.toString());
    }
  }

  private Script script(String model, ModelRequest request) {
    var prompt = prompt(request);
    var primary = agents.get().of("default").find("primary").orElseThrow();
    var ofRoot = request.system().startsWith(primary.prompt()) || Script.isForSummary(request);
    var script = ofRoot ? roots.get(model) : child(prompt);
    if (script == null) {
      throw new Script.Unscripted("no script of " + model + " for '" + prompt + "'");
    }
    return script;
  }

  private @Nullable Script child(String prompt) {
    var supplier = otherChildren;
    return supplier == null ? children.get(prompt) : children.computeIfAbsent(prompt, supplier);
  }

  private static String prompt(ModelRequest request) {
    return request.conversation().stream()
        .filter(message -> message.role() == MessageRole.USER)
        .findFirst()
        .map(message -> message.text())
        .orElse("");
  }
}
