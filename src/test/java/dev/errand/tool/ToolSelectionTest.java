package dev.errand.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.ToolDefinition;
import dev.errand.tool.ToolRegistry.RegisteredTool;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ToolSelectionTest {

  private final List<LogRecord> logged = new ArrayList<>();
  private final Logger logger = Logger.getLogger(ToolSelection.class.getName());
  private final Handler handler = new Records();
  private final ToolSelection selection = new ToolSelection();
  private final List<RegisteredTool> tools =
      Stream.of("a_1", "a_2", "b_1", "read", "write")
          .map(name -> entry(name, !name.contains("_")))
          .toList();

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
  }

  @Test
  void ownToolsComeFirstThenServersByName() {
    assertThat(names(selection.within(3, tools, "x"))).containsExactly("a_1", "read", "write");
    assertThat(names(selection.within(4, tools, "x")))
        .containsExactly("a_1", "a_2", "read", "write");
    assertThat(names(selection.within(1, tools, "x"))).containsExactly("read");
    assertThat(selection.within(5, tools, "x")).isSameAs(tools);
  }

  @Test
  void oneWarningForEachAgentNamesWhatIsLeftOut() {
    selection.within(5, tools, "x");
    assertThat(logged).isEmpty();

    selection.within(3, tools, "x");
    selection.within(3, tools, "x");
    selection.within(4, tools, "x");
    selection.within(3, tools, "y");

    assertThat(logged)
        .extracting(LogRecord::getMessage)
        .hasSize(2)
        .allMatch(message -> message.contains("has 5 tools, and its model or a fallback accepts 3"))
        .allMatch(message -> message.contains("Left out: a_2, b_1."));
  }

  private static List<String> names(List<RegisteredTool> entries) {
    return entries.stream().map(RegisteredTool::name).toList();
  }

  private static RegisteredTool entry(String name, boolean own) {
    var tool = new EchoTool(_ -> ToolOutcome.ok(""));
    var definition = new ToolDefinition(name, "", ParameterSchema.object().build());
    return new RegisteredTool(name, tool, definition, List.of(name), _ -> List.of(), own);
  }

  /** Keeps what is logged. */
  private final class Records extends Handler {
    @Override
    public void publish(LogRecord message) {
      logged.add(message);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
