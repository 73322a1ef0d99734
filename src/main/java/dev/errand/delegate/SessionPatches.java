package dev.errand.delegate;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Json;
import dev.errand.session.AppliedPatchStore;
import dev.errand.session.Lease;
import dev.errand.tool.patch.PatchMemory;
import java.util.List;
import java.util.Optional;

/** What one session does with the patch of one task, stored in the database. */
record SessionPatches(AppliedPatchStore store, Json json, Lease lease, TaskId task)
    implements PatchMemory {

  private static final TypeReference<List<Planned>> FILES = new TypeReference<>() {};

  @Override
  public Optional<Plan> latest() {
    return store
        .find(lease.session(), task)
        .map(row -> new Plan(json.read(row.files(), FILES), row.applied()));
  }

  @Override
  public void plan(List<Planned> files) {
    store.plan(lease, task, json.write(files));
  }

  @Override
  public void applied() {
    store.applied(lease, task);
  }
}
