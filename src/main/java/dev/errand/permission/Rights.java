package dev.errand.permission;

import java.util.List;

/**
 * The rights of a session, as they are shown.
 *
 * @param permissions all layers must allow a call
 * @param tools the names of the tools of which some call may be allowed
 */
public record Rights(List<Layer> permissions, List<String> tools) {

  public Rights {
    permissions = List.copyOf(permissions);
    tools = List.copyOf(tools);
  }
}
