package dev.errand.http;

import dev.errand.conversation.AuditId;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.ext.ParamConverter;
import jakarta.ws.rs.ext.ParamConverterProvider;
import jakarta.ws.rs.ext.Provider;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts path, query and header parameters to ids, enums, numbers and booleans. A text that is
 * none of them is answered with 400 and the name of the parameter; an id in a path that we did not
 * issue is treated like one that does not exist (404). Ranges are left to Bean Validation.
 *
 * <p>An enum constant is written in lower case: {@code TIMED_OUT} is {@code timed_out}.
 */
@Provider
public class RequestParameters implements ParamConverterProvider {

  @Override
  @SuppressWarnings("unchecked") // each branch converts to the type that it compares with
  public <T> @Nullable ParamConverter<T> getConverter(
      Class<T> type, Type genericType, Annotation[] annotations) {
    return (ParamConverter<T>) converter(type, annotations);
  }

  private static @Nullable ParamConverter<?> converter(Class<?> type, Annotation[] annotations) {
    if (type == SessionId.class) {
      return id(SessionId::parse, "session", "ses_", annotations);
    }
    if (type == TaskId.class) {
      return id(TaskId::parse, "task", "task_", annotations);
    }
    if (type == DeliveryId.class) {
      return id(DeliveryId::parse, "delivery", "dlv_", annotations);
    }
    if (type == MessageId.class) {
      return id(MessageId::parse, "message", "msg_", annotations);
    }
    if (type == int.class || type == Integer.class) {
      return value(number(Integer::valueOf), "must be a whole number", annotations);
    }
    if (type == long.class || type == Long.class) {
      return value(number(Long::valueOf), "must be a whole number", annotations);
    }
    if (type == AuditId.class) {
      return id(AuditId::parse, "audit", "aud_", annotations);
    }
    if (type == PauseId.class) {
      return id(PauseId::parse, "pause", "pau_", annotations);
    }
    if (type == boolean.class || type == Boolean.class) {
      return value(RequestParameters::bool, "must be true or false", annotations);
    }
    return type.isEnum() ? constant(type.getEnumConstants(), annotations) : null;
  }

  private static <T> ParamConverter<T> id(
      Function<String, Optional<T>> parse, String what, String prefix, Annotation[] annotations) {
    for (var annotation : annotations) {
      if (annotation instanceof PathParam) {
        return new Converter<>(parse, text -> Refusal.notFound(what, text));
      }
    }
    var message = "must be a " + what + " id (" + prefix + " and 32 hexadecimal digits)";
    return value(parse, message, annotations);
  }

  private static ParamConverter<Object> constant(Object[] constants, Annotation[] annotations) {
    var words =
        Arrays.stream(constants)
            .collect(Collectors.toMap(RequestParameters::word, Function.identity()));
    var known =
        Arrays.stream(constants).map(RequestParameters::word).collect(Collectors.joining(", "));
    return value(
        text -> Optional.ofNullable(words.get(text)), "must be one of " + known, annotations);
  }

  private static String word(Object constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }

  private static <T> ParamConverter<T> value(
      Function<String, Optional<T>> parse, String message, Annotation[] annotations) {
    var name = name(annotations);
    return new Converter<>(parse, _ -> Refusal.invalid(name, message));
  }

  private static String name(Annotation[] annotations) {
    for (var annotation : annotations) {
      switch (annotation) {
        case QueryParam query -> {
          return query.value();
        }
        case HeaderParam header -> {
          return header.value();
        }
        case PathParam path -> {
          return path.value();
        }
        default -> {}
      }
    }
    return "";
  }

  private static <T> Function<String, Optional<T>> number(Function<String, T> parse) {
    return text -> {
      try {
        return Optional.of(parse.apply(text));
      } catch (NumberFormatException notANumber) {
        return Optional.empty();
      }
    };
  }

  private static Optional<Boolean> bool(String text) {
    return switch (text) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  /** Reads a text, or refuses the request. The container wraps the refusal in an exception. */
  private record Converter<T>(
      Function<String, Optional<T>> parse, Function<String, Refusal> refusal)
      implements ParamConverter<T> {

    @Override
    public T fromString(String text) {
      return parse.apply(text).orElseThrow(() -> refusal.apply(text));
    }

    @Override
    public String toString(T value) {
      return value.toString();
    }
  }
}
