package dev.errand.api;

import dev.errand.auth.Callers;
import dev.errand.auth.Roles;
import dev.errand.http.Page;
import dev.errand.tool.skill.Skill;
import dev.errand.tool.skill.Skills;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import org.jspecify.annotations.Nullable;

/** The skills that agents can load. */
@Path("/v1/skills")
@RunOnVirtualThread
class SkillsResource {

  private final Skills skills;
  private final Callers callers;

  SkillsResource(Skills skills, Callers callers) {
    this.skills = skills;
    this.callers = callers;
  }

  /**
   * A skill in the wire format.
   *
   * @param writtenBy {@code agent} or {@code operator}
   * @param sessionId the session in which an agent wrote it
   */
  record SkillView(String name, String description, String writtenBy, @Nullable String sessionId) {

    static SkillView of(Skill skill) {
      var session = skill.writtenIn();
      return new SkillView(
          skill.name(), skill.description(), session == null ? "operator" : "agent", session);
    }
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  public Page<SkillView> list() {
    return Page.whole(skills.of(callers.tenant()).all().stream().map(SkillView::of).toList());
  }
}
