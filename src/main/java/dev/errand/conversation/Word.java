package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An enum whose constants are called by their names in lower case: in JSON, in metrics and in
 * texts. The database stores every enum so.
 */
public interface Word {

  /** The name of the constant, as every enum has it. */
  String name();

  @JsonValue
  default String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the constant with this word.
   *
   * @throws IllegalArgumentException there is none
   */
  static <E extends Enum<E> & Word> E of(Class<E> type, String word) {
    return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
  }

  /** Returns the constant with this word; empty if this version does not know it. */
  static <E extends Enum<E> & Word> Optional<E> find(Class<E> type, String word) {
    return Stream.of(type.getEnumConstants())
        .filter(constant -> constant.word().equals(word))
        .findFirst();
  }

  /** Returns the words of all constants, in their order. */
  static <E extends Enum<E> & Word> List<String> words(Class<E> type) {
    return Stream.of(type.getEnumConstants()).map(Word::word).toList();
  }
}
