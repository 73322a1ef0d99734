package dev.errand.agent;

import dev.errand.agent.AgentFileReader.AgentDraft;
import dev.errand.markdown.BrokenFile;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** A reading of all files. A broken file does not prevent the others from being read. */
final class AgentReading {

  private final AgentFolders folders;
  private final Map<String, AgentDraft> before;
  private final AgentFileDiagnostics diagnostics;
  private final AgentFileReader reader;
  private final Map<String, AgentDraft> drafts = new LinkedHashMap<>();
  private final Set<String> missing = new HashSet<>();

  /**
   * @param before the agents of files, by file, as they were read the last time
   */
  AgentReading(
      AgentFileContext context,
      AgentFolders folders,
      Map<String, AgentDraft> before,
      AgentFileDiagnostics diagnostics) {
    this.folders = folders;
    this.before = before;
    this.diagnostics = diagnostics;
    this.reader = new AgentFileReader(context, diagnostics);
  }

  /**
   * Keeps the agents of files that are in a folder that cannot be read now.
   *
   * @param folder relative to the directory of agents; {@code .} is that directory
   */
  void keepAllOf(String folder) {
    before.forEach((file, draft) -> {
      if (folder.equals(".") || file.startsWith(folder + "/")) {
        drafts.put(file, draft);
      }
    });
  }

  /**
   * @param check throws {@link BrokenFile} for a definition that must not be used here
   */
  AgentFiles.LoadedAgents read(List<AgentDocument> documents, Consumer<AgentDraft> check) {
    for (var document : documents) {
      switch (document) {
        case AgentDocument.Other other -> diagnostics.info(other.file(), 1, other.why());
        case AgentDocument.Unreadable unreadable -> broken(unreadable.fault(), names(unreadable));
        case AgentDocument.Definition definition -> read(definition, check);
      }
    }
    return linked();
  }

  private void read(AgentDocument.Definition definition, Consumer<AgentDraft> check) {
    try {
      var owner = folders.owner(definition.file());
      var draft = reader.read(definition.matter(), owner, folders::isOwner);
      check.accept(draft);
      drafts.put(draft.file(), draft);
    } catch (BrokenFile fault) {
      broken(fault, names(definition));
    }
  }

  private List<String> names(AgentDocument document) {
    var owner = folders.owner(document.file());
    return document.names().stream().map(name -> AgentFolders.whole(owner, name)).toList();
  }

  /** Links the definitions, again without each file that does not fit to the others. */
  private AgentFiles.LoadedAgents linked() {
    while (true) {
      var messages = new AgentFileDiagnostics();
      try {
        var links = new AgentLinks(drafts.values(), missing, messages);
        var catalog = links.catalog();
        var servers = links.servers();
        diagnostics.addAll(messages);
        return new AgentFiles.LoadedAgents(catalog, drafts, missing, servers, diagnostics);
      } catch (BrokenFile fault) {
        var unfit = Objects.requireNonNull(drafts.get(fault.file()));
        broken(fault, List.of(unfit.definition().name()));
      }
    }
  }

  private void broken(BrokenFile fault, List<String> names) {
    var former = before.get(fault.file());
    if (former == null || former.equals(drafts.get(fault.file()))) {
      diagnostics.problem(fault);
      drafts.remove(fault.file());
      missing.addAll(names);
    } else {
      diagnostics.problem(
          new BrokenFile(
              fault.file(), fault.line(), fault.problem() + "; its agent stays as it was before"));
      drafts.put(fault.file(), former);
    }
  }
}
