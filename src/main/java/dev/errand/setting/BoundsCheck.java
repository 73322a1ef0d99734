package dev.errand.setting;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.ConfigValidationException.Problem;
import io.smallrye.config.ConfigValidator;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import io.smallrye.config.WithParentName;
import io.smallrye.config.common.utils.StringUtil;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refuses settings that are not within their {@link Bounds}. SmallRye Config finds it as a service.
 */
public final class BoundsCheck implements SmallRyeConfigBuilderCustomizer, ConfigValidator {

  private static final String OURS = "dev.errand.";

  @Override
  public void configBuilder(SmallRyeConfigBuilder builder) {
    builder.withValidator(this);
  }

  /**
   * @throws ConfigValidationException names each setting that is out of its bounds
   */
  @Override
  public void validateMapping(Class<?> mapping, String prefix, Object settings) {
    var problems = new ArrayList<Problem>();
    if (mapping.getName().startsWith(OURS)) {
      checkGroup(mapping, prefix, settings, problems);
    }
    if (!problems.isEmpty()) {
      throw new ConfigValidationException(problems.toArray(Problem[]::new));
    }
  }

  private void checkGroup(Class<?> type, String prefix, Object group, List<Problem> problems) {
    for (var method : type.getMethods()) {
      if (Modifier.isAbstract(method.getModifiers())) {
        var name =
            method.isAnnotationPresent(WithParentName.class)
                ? prefix
                : prefix + "." + StringUtil.skewer(method.getName());
        check(name, valueOf(method, group), method.getAnnotation(Bounds.class), problems);
      }
    }
  }

  private static @Nullable Object valueOf(Method method, Object group) {
    try {
      method.setAccessible(true); // the mapping may be visible in its package only
      return method.invoke(group);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void check(
      String name, @Nullable Object value, @Nullable Bounds bounds, List<Problem> problems) {
    switch (value) {
      case null -> {}
      case Optional<?> optional -> optional.ifPresent(one -> check(name, one, bounds, problems));
      case OptionalInt optional -> optional.ifPresent(one -> check(name, one, bounds, problems));
      case OptionalLong optional -> optional.ifPresent(one -> check(name, one, bounds, problems));
      case List<?> list -> {
        for (int i = 0; i < list.size(); i++) {
          check(name + "[" + i + "]", list.get(i), bounds, problems);
        }
      }
      case Map<?, ?> map ->
          map.forEach((key, one) -> check(name + "." + quoted(key), one, bounds, problems));
      case Duration duration when bounds != null ->
          compare(name, duration, bounds, DurationConverter::parseDuration, problems);
      case BigDecimal amount when bounds != null ->
          compare(name, amount, bounds, BigDecimal::new, problems);
      case MemorySize size when bounds != null ->
          compare(name, size.asBigInteger(), bounds, BoundsCheck::bytes, problems);
      case Number number when bounds != null ->
          compare(name, number.longValue(), bounds, Long::valueOf, problems);
      default -> groupOf(value).ifPresent(type -> checkGroup(type, name, value, problems));
    }
  }

  /** Keys with other characters are in quotation marks, as in the properties. */
  private static String quoted(Object key) {
    return key.toString().matches("[A-Za-z0-9_-]+") ? key.toString() : "\"" + key + "\"";
  }

  private static <T extends Comparable<T>> void compare(
      String name, T value, Bounds bounds, Function<String, T> parse, List<Problem> problems) {
    if (!bounds.min().isEmpty() && value.compareTo(parse.apply(bounds.min())) < 0) {
      problems.add(new Problem(name + " must be at least " + bounds.min()));
    }
    if (!bounds.max().isEmpty() && value.compareTo(parse.apply(bounds.max())) > 0) {
      problems.add(new Problem(name + " must be at most " + bounds.max()));
    }
  }

  private static BigInteger bytes(String size) {
    return new MemorySizeConverter().convert(size).asBigInteger();
  }

  /** Returns the interface of a group of settings, which SmallRye Config implements. */
  private static Optional<Class<?>> groupOf(Object value) {
    for (var type : value.getClass().getInterfaces()) {
      if (type.getName().startsWith(OURS)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
