package dev.errand.agent;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The owners of the folders in the directory of agents. A folder that is named like an agent of a
 * file next to it, or like a built-in agent at the top, contains the private agents of that agent.
 * Any other folder is a topic and changes nothing.
 */
final class AgentFolders {

  private final Map<String, Set<String>> namesByFolder = new HashMap<>();
  private final Set<String> owners;

  AgentFolders(Collection<AgentDocument> documents) {
    namesByFolder.put(
        "",
        BuiltInAgents.ALL.stream()
            .map(AgentDefinition::name)
            .collect(Collectors.toCollection(HashSet::new)));
    for (var document : documents) {
      namesByFolder
          .computeIfAbsent(folder(document.file()), _ -> new HashSet<>())
          .addAll(document.names());
    }
    owners =
        documents.stream()
            .filter(document -> document instanceof AgentDocument.Definition)
            .map(document -> owner(document.file()))
            .collect(Collectors.toSet());
  }

  /**
   * Returns the whole name of the only agent that may use the agent of a file; empty if all may.
   */
  String owner(String file) {
    return file.contains("/") ? ownerOf(folder(file)) : "";
  }

  /** Returns whether an agent of this whole name has private agents. */
  boolean isOwner(String agent) {
    return owners.contains(agent);
  }

  private String ownerOf(String folder) {
    var above = owner(folder);
    var name = AgentName.of(folder.substring(folder.lastIndexOf('/') + 1));
    if (!namesByFolder.getOrDefault(folder(folder), Set.of()).contains(name)) {
      return above;
    }
    return whole(above, name);
  }

  /** Returns the whole name of an agent with this owner. */
  static String whole(String owner, String name) {
    return owner.isEmpty() ? name : owner + "/" + name;
  }

  private static String folder(String path) {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }
}
