package dev.errand.api;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A method of a JAX-RS resource of the REST API of the running service. */
record ResourceRoute(Method method) {

  /**
   * @param byDefault the value without the parameter; null without one
   */
  record Input(String in, String name, @Nullable String byDefault, AnnotatedType type) {

    boolean isRequired() {
      return in.equals("path");
    }

    boolean inQuery() {
      return in.equals("query");
    }
  }

  static List<ResourceRoute> all(BeanManager beans) {
    return beans.getBeans(Object.class, Any.Literal.INSTANCE).stream()
        .map(bean -> bean.getBeanClass())
        .filter(type -> type.isAnnotationPresent(Path.class))
        .filter(type -> type.getPackageName().equals("dev.errand.api"))
        .distinct()
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .filter(method -> verbOf(method).isPresent())
        .map(ResourceRoute::new)
        .toList();
  }

  private static Optional<String> verbOf(Method method) {
    return Stream.of(method.getAnnotations())
        .flatMap(one -> Stream.ofNullable(one.annotationType().getAnnotation(HttpMethod.class)))
        .map(HttpMethod::value)
        .findFirst();
  }

  String verb() {
    return verbOf(method).orElseThrow().toLowerCase(Locale.ROOT);
  }

  /** The path as in the document, without patterns of parameters. */
  String path() {
    var below = method.getAnnotation(Path.class);
    var base = method.getDeclaringClass().getAnnotation(Path.class).value();
    var whole = below == null ? base : base + "/" + below.value();
    return whole.replaceAll("\\{(\\w+):[^}]*}", "{$1}");
  }

  List<Input> inputs() {
    return Stream.of(method.getParameters())
        .flatMap(parameter ->
            parameter.isAnnotationPresent(BeanParam.class)
                ? Stream.of(parameter.getType().getDeclaredFields())
                    .flatMap((Field field) -> input(field, field.getAnnotatedType()))
                : input(parameter, parameter.getAnnotatedType()))
        .toList();
  }

  private static Stream<Input> input(AnnotatedElement place, AnnotatedType type) {
    var byDefault = place.getAnnotation(DefaultValue.class);
    var value = byDefault == null ? null : byDefault.value();
    return Stream.of(place.getAnnotations())
        .flatMap(annotation ->
            switch (annotation) {
              case PathParam it -> Stream.of(new Input("path", it.value(), value, type));
              case QueryParam it -> Stream.of(new Input("query", it.value(), value, type));
              case HeaderParam it -> Stream.of(new Input("header", it.value(), value, type));
              default -> Stream.empty();
            });
  }

  @Override
  public String toString() {
    return verb().toUpperCase(Locale.ROOT) + " " + path();
  }
}
