package dev.errand.delegate;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.Isolation;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.postgres.Json;
import dev.errand.session.AppliedPatchStore;
import dev.errand.session.Lease;
import dev.errand.task.Task;
import dev.errand.task.TaskChanges;
import dev.errand.tool.Tool;
import dev.errand.tool.Tool.ToolLoad;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.ToolUser;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.FileSet;
import dev.errand.tool.patch.Patch;
import dev.errand.tool.patch.PatchApplication;
import dev.errand.tool.patch.PatchMemory;
import dev.errand.tool.patch.PatchMemory.PatchPlan;
import dev.errand.tool.patch.PatchMemory.PlannedFile;
import dev.errand.worktree.ChangeStore;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The tool {@code task_apply}: applies what a task changed in its own workspace to the workspace of
 * the caller, or reports why it does not fit and changes nothing.
 */
@Singleton
class TaskApplyTool implements Tool {

  private static final String NAME = "task_apply";
  private static final String CHECK = "check";

  private final OwnTasks own;
  private final ChangeStore changes;
  private final AppliedPatchStore applied;
  private final FileRules rules;
  private final Json json;

  TaskApplyTool(
      OwnTasks own, ChangeStore changes, AppliedPatchStore applied, FileRules rules, Json json) {
    this.own = own;
    this.changes = changes;
    this.applied = applied;
    this.rules = rules;
    this.json = json;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        NAME,
        "Apply task changes",
        """
        Applies the changes of one of your ended tasks with isolation: worktree to your workspace: \
        all files or none. Changes of yours and of other tasks at other places of a file are kept; \
        conflicts are reported, and then nothing is changed. Make conflicting changes with edit, \
        then apply again and skip these files.\
        """,
        OwnTasks.schema()
            .enumeration(
                "mode",
                "check: only report what would happen, and show the patch. apply: change the"
                    + " files.",
                List.of(CHECK, "apply"))
            .required()
            .strings(
                "skip",
                "Paths of files to leave out, because you have made their changes with edit.")
            .maxItems(500)
            .build());
  }

  /** Changes files like {@code write}. */
  @Override
  public boolean isOfUse(Permissions permissions, ToolUser user) {
    return permissions.mayEverAllow("write") && permissions.mayEverAllow("task");
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public ToolEffect effect(ObjectNode arguments) {
    return isCheck(arguments) ? ToolEffect.PURE : ToolEffect.CHECKED;
  }

  @Override
  public ToolLoad load() {
    return ToolLoad.FILES;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var id = arguments.get("task_id").asText();
    var found = own.find(context.session(), id);
    if (found.isEmpty()) {
      return ToolOutcome.error(OwnTasks.unknown(id));
    }
    var task = found.get();
    var patch = patch(task);
    var sameChild = appliedOfSameChild(task);
    var later = sameChild.stream().filter(other -> isAfter(other, task.id())).findFirst();
    if (later.isPresent()) {
      return PatchReport.contained(task.id(), later.get());
    }
    var isCheck = isCheck(arguments);
    var memory =
        new SessionPatches(applied, json, new Lease(context.session(), context.epoch()), task.id());
    try {
      var files = new FileSet(context.workspace(), rules, context.permissions());
      var wanted = Patch.read(patch).without(skipped(arguments));
      var outcome = new PatchApplication(wanted, earlier(sameChild), files, memory).run(isCheck);
      return isCheck
          ? PatchReport.ofCheck(task.id(), outcome, patch)
          : PatchReport.of(task.id(), outcome);
    } catch (IOException failed) {
      throw new ToolFailure(PatchReport.failure(failed));
    }
  }

  private static Set<String> skipped(ObjectNode arguments) {
    return StreamSupport.stream(arguments.path("skip").spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toSet());
  }

  private static boolean isCheck(ObjectNode arguments) {
    return arguments.path("mode").asText().equals(CHECK);
  }

  /**
   * Returns the other tasks of the child whose patches were applied, the latest first. A child that
   * was continued works in the same copy, so that the patch of its later task contains the earlier
   * one.
   */
  private List<TaskId> appliedOfSameChild(Task task) {
    return applied.tasks(task.parent()).stream()
        .filter(id -> !id.equals(task.id()))
        .flatMap(id -> own.find(task.parent(), id.toString()).stream())
        .filter(other -> other.child().equals(task.child()))
        .map(Task::id)
        .toList();
  }

  private static boolean isAfter(TaskId one, TaskId other) {
    return one.value().compareTo(other.value()) > 0;
  }

  private Optional<Patch> earlier(List<TaskId> tasks) {
    return tasks.stream().findFirst().flatMap(changes::patch).map(Patch::read);
  }

  private byte[] patch(Task task) {
    if (task.isolation() == Isolation.WORKTREE && task.outcome().isEmpty()) {
      throw new ToolFailure(
          "task_id: %s still runs; its changes can be applied when it has ended."
              .formatted(task.id()));
    }
    return changes
        .patch(task.id())
        .orElseThrow(() -> new ToolFailure("task_id: " + TaskChanges.whyMissing(task)));
  }

  /** The memory, in the database, of what a session does with the patch of a task. */
  private record SessionPatches(AppliedPatchStore store, Json json, Lease lease, TaskId task)
      implements PatchMemory {

    private static final TypeReference<List<PlannedFile>> FILES = new TypeReference<>() {};

    @Override
    public Optional<PatchPlan> latest() {
      return store
          .find(lease.session(), task)
          .map(row -> new PatchPlan(json.read(row.files(), FILES), row.applied()));
    }

    @Override
    public void plan(List<PlannedFile> files) {
      store.plan(lease, task, json.write(files));
    }

    @Override
    public void applied() {
      store.applied(lease, task);
    }
  }
}
