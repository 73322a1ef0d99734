package dev.errand.tenant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A directory of the configuration. {@code {tenant}} in its path stands for the name of a tenant,
 * so that each tenant has a directory of its own; without it, all tenants share the directory.
 */
public final class TenantPath {

  private static final String TENANT = "{tenant}";
  private static final String NAME = "([a-z0-9][a-z0-9_-]{0,62})";

  private final String template;

  public TenantPath(Path path) {
    this.template = path.toAbsolutePath().normalize().toString();
  }

  public static TenantPath parse(String path) {
    return new TenantPath(Path.of(path.strip()));
  }

  /** Returns whether each tenant has a directory of its own. */
  public boolean isOfTenants() {
    return template.contains(TENANT);
  }

  /**
   * Returns the directory of this tenant.
   *
   * @throws IllegalArgumentException the text is not the name of a tenant
   */
  public Path of(String tenant) {
    return Path.of(text(template, tenant));
  }

  /** Returns the path of a tenant for a path as a text, absolute or not. */
  public static String text(String path, String tenant) {
    if (!Tenant.isName(tenant)) {
      throw new IllegalArgumentException("not the name of a tenant");
    }
    return path.replace(TENANT, tenant);
  }

  /**
   * Returns the tenant in whose directory a path lies; empty outside of these directories.
   *
   * @param path absolute and normalized
   */
  public Optional<String> tenantIn(Path path) {
    var matcher = pattern(template).matcher(path.toString());
    return isOfTenants() && matcher.lookingAt() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /**
   * Returns the directories of tenants that exist; the directory itself when all tenants share it.
   */
  public List<Path> existing() {
    if (!isOfTenants()) {
      return List.of(Path.of(template));
    }
    var before = template.substring(0, template.indexOf(TENANT));
    var above = Path.of(before.substring(0, before.lastIndexOf('/') + 1));
    var first = new TenantPath(above.resolve(Path.of(template).getName(above.getNameCount())));
    try (var entries = Files.list(above)) {
      return entries
          .flatMap(entry -> first.tenantIn(entry).stream())
          .distinct()
          .map(this::of)
          .toList();
    } catch (IOException missing) {
      return List.of();
    }
  }

  private static Pattern pattern(String template) {
    var parts = template.split(Pattern.quote(TENANT), -1);
    var regex = new StringBuilder(Pattern.quote(parts[0]));
    for (var at = 1; at < parts.length; at++) {
      regex.append(at == 1 ? NAME : "\\1").append(Pattern.quote(parts[at]));
    }
    return Pattern.compile(regex + "(?=/|$)");
  }
}
