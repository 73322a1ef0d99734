package dev.errand.postgres;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.argument.ArgumentFactory;
import org.jdbi.v3.core.array.SqlArrayType;
import org.jdbi.v3.core.array.SqlArrayTypeFactory;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.mapper.ColumnMapper;
import org.jdbi.v3.core.mapper.ColumnMapperFactory;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.RowMapperFactory;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * Binds and reads values of the domain. An id is a public record whose only component is a UUID. An
 * enum is stored as its name in lower case. Any other record is read from the columns that are
 * called like its components.
 */
final class DomainTypes {

  private static final ClassValue<Optional<IdType>> ID_TYPES =
      new ClassValue<>() {
        @Override
        protected Optional<IdType> computeValue(Class<?> type) {
          return IdType.of(type);
        }
      };

  private static final ClassValue<RowMapper<?>> ROW_MAPPERS =
      new ClassValue<>() {
        @Override
        protected RowMapper<?> computeValue(Class<?> type) {
          return ConstructorMapper.of(constructor(type));
        }
      };

  private DomainTypes() {}

  static void register(Jdbi jdbi) {
    ArgumentFactory arguments = DomainTypes::argument;
    SqlArrayTypeFactory arrays = DomainTypes::array;
    ColumnMapperFactory columns = DomainTypes::column;
    RowMapperFactory rows = DomainTypes::row;
    jdbi.registerArgument(arguments);
    jdbi.registerArrayType(arrays);
    jdbi.registerColumnMapper(columns);
    jdbi.registerRowMapper(rows);
  }

  /** Returns the word of an enum in the database. */
  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  static UUID uuid(Record id) {
    return ID_TYPES.get(id.getClass()).orElseThrow().value(id);
  }

  private static Optional<Argument> argument(Type type, Object value, ConfigRegistry config) {
    if (value instanceof Enum<?> constant) {
      var word = word(constant);
      return Optional.of((position, statement, _) -> statement.setString(position, word));
    }
    return idType(type)
        .map(ids -> ids.value(value))
        .map(id -> (position, statement, _) -> statement.setObject(position, id));
  }

  private static Optional<SqlArrayType<?>> array(Type element, ConfigRegistry config) {
    return idType(element).map(ids -> SqlArrayType.of("uuid", ids::value));
  }

  /** Enums are read by Jdbi itself, which ignores the case of their names. */
  private static Optional<ColumnMapper<?>> column(Type type, ConfigRegistry config) {
    return idType(type)
        .map(ids ->
            (row, column, _) -> {
              var id = row.getObject(column, UUID.class);
              return id == null ? null : ids.of(id);
            });
  }

  private static Optional<RowMapper<?>> row(Type type, ConfigRegistry config) {
    return type instanceof Class<?> known && known.isRecord() && idType(type).isEmpty()
        ? Optional.of(ROW_MAPPERS.get(known))
        : Optional.empty();
  }

  /** Most records that rows are read into are private. */
  private static Constructor<?> constructor(Class<?> type) {
    var components =
        Stream.of(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      var constructor = type.getDeclaredConstructor(components);
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static Optional<IdType> idType(Type type) {
    return type instanceof Class<?> known ? ID_TYPES.get(known) : Optional.empty();
  }

  private record IdType(Method value, Constructor<?> constructor) {

    static Optional<IdType> of(Class<?> type) {
      var components = type.getRecordComponents();
      if (components == null
          || components.length != 1
          || components[0].getType() != UUID.class
          || !Modifier.isPublic(type.getModifiers())) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new IdType(components[0].getAccessor(), type.getConstructor(UUID.class)));
      } catch (NoSuchMethodException fault) {
        throw new IllegalStateException(fault);
      }
    }

    UUID value(Object id) {
      try {
        return (UUID) value.invoke(id);
      } catch (ReflectiveOperationException fault) {
        throw new IllegalStateException(fault);
      }
    }

    Object of(UUID id) {
      try {
        return constructor.newInstance(id);
      } catch (ReflectiveOperationException fault) {
        throw new IllegalStateException(fault);
      }
    }
  }
}
