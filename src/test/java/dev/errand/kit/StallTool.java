package dev.errand.kit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicReference;

/** A tool {@code stall} whose calls wait at a gate. */
@Singleton
public class StallTool implements Tool {

  private final AtomicReference<Gate> gate = new AtomicReference<>(new Gate());

  /** Sets the gate at which later calls wait. */
  public void waitAt(Gate newGate) {
    gate.set(newGate);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "stall", "Take time", "Takes its time.", ParameterSchema.object().build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.SIDE_EFFECT;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    try {
      gate.get().pass();
      return ToolOutcome.ok("done");
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new ToolFailure("interrupted");
    }
  }
}
