package dev.errand.model;

import dev.errand.model.EndpointGate.Permit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether a call may be made, as an {@link EndpointGate} answers. */
public sealed interface GateAnswer {

  /** Yes. The caller closes the permit when the call has ended. */
  record Pass(Permit permit) implements GateAnswer {}

  /**
   * Not yet, but soon: the caller must ask again as {@code RETURNING}, or {@link
   * EndpointGate#leave}.
   */
  record Soon(Duration in) implements GateAnswer {}

  /**
   * Not yet.
   *
   * @param atLeast asking earlier is useless
   * @param away why the endpoint counts as away; null when it is only busy
   */
  record Wait(Duration atLeast, @Nullable ModelException away) implements GateAnswer {}
}
