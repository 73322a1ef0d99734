package dev.errand.tool.skill;

import static java.util.Comparator.comparingInt;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tenant.Tenant;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * All skills. At each use the directory is listed and changed files are read again, so that new
 * skills are available at once. A skill that cannot be used is a warning in the log and does not
 * stop the service.
 */
@Singleton
public class Skills {

  private static final Logger LOG = Logger.getLogger(Skills.class);

  private static final int NAME_WEIGHT = 4;
  private static final int DESCRIPTION_WEIGHT = 2;
  private static final int MAX_WARNINGS = 1_000;

  private final SkillFolder folder;
  private final Map<String, Skills> byTenant = new ConcurrentHashMap<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private final Map<String, CachedSkill> known = new ConcurrentHashMap<>();

  Skills(SkillFolder folder) {
    this.folder = folder;
  }

  /** Returns the skills of a tenant. */
  public Skills of(String tenant) {
    return folder.isOfTenants()
        ? byTenant.computeIfAbsent(tenant, id -> new Skills(folder.of(id)))
        : this;
  }

  /**
   * A file that was read.
   *
   * @param skill empty when the file is no skill that can be used
   */
  private record CachedSkill(SkillFolder.SkillVersion version, Optional<Skill> skill) {}

  /** Logs warnings about broken skills at start. */
  void check(@Observes StartupEvent start) {
    LOG.debugf("Skills: %d", of(Tenant.DEFAULT).all().size());
  }

  /** Returns all skills that can be used, sorted by name. */
  public List<Skill> all() {
    var found = new ArrayList<Skill>();
    var names = new HashSet<String>();
    var directories = folder.names();
    known.keySet().retainAll(Set.copyOf(directories));
    for (var name : directories) {
      read(name).filter(skill -> isFirst(skill, names, name)).ifPresent(found::add);
    }
    return List.copyOf(found);
  }

  private boolean isFirst(Skill skill, Set<String> names, String directory) {
    var first = names.add(skill.name().toLowerCase(Locale.ROOT));
    if (!first) {
      warn(directory + "/" + SkillFolder.MAIN + ":1: another directory has this name already");
    }
    return first;
  }

  /** Returns the skills that a session with these permissions may load. */
  public List<Skill> allowed(Permissions permissions) {
    return all().stream().filter(skill -> permissions.allow(SkillTool.NAME, skill.name())).toList();
  }

  /** Finds a skill by name, ignoring case. */
  public Optional<Skill> find(String name) {
    return folder.names().stream()
        .filter(found -> found.equalsIgnoreCase(name.strip()))
        .flatMap(found -> read(found).stream())
        .findFirst();
  }

  /** Returns the skills that contain at least one of the words, best matches first. */
  public List<Skill> search(String words) {
    var wanted =
        List.of(words.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+")).stream()
            .filter(word -> word.length() > 1)
            .distinct()
            .toList();
    return all().stream()
        .filter(skill -> score(skill, wanted) > 0)
        .sorted(comparingInt((Skill skill) -> score(skill, wanted)).reversed())
        .toList();
  }

  private static int score(Skill skill, List<String> wanted) {
    var name = skill.name().toLowerCase(Locale.ROOT);
    var description = skill.description().toLowerCase(Locale.ROOT);
    var body = skill.body().toLowerCase(Locale.ROOT);
    return wanted.stream()
        .mapToInt(word ->
            (name.contains(word) ? NAME_WEIGHT : 0)
                + (description.contains(word) ? DESCRIPTION_WEIGHT : 0)
                + (body.contains(word) ? 1 : 0))
        .sum();
  }

  private Optional<Skill> read(String name) {
    var version = folder.version(name);
    var before = known.get(name);
    if (before != null && version.filter(before.version()::equals).isPresent()) {
      return before.skill();
    }
    var skill = readAgain(name);
    version.ifPresent(read -> known.put(name, new CachedSkill(read, skill)));
    return skill;
  }

  private Optional<Skill> readAgain(String name) {
    try {
      return Optional.of(folder.read(name));
    } catch (BrokenFile broken) {
      warn(broken.sentence());
      return Optional.empty();
    }
  }

  /** Logs each problem once. */
  private void warn(String problem) {
    if (warned.size() < MAX_WARNINGS && warned.add(problem)) {
      LOG.warnf("Skill %s", problem);
    }
  }
}
