package dev.errand.tool.skill;

import java.nio.file.Path;

/** Skills without a container. */
public final class PlainSkills {

  private PlainSkills() {}

  public static Skills in(Path folder) {
    return new Skills(new SkillFolder(folder.toString()));
  }
}
