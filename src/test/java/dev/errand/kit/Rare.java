package dev.errand.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test that only {@code make test-all} runs, because it takes long and a test that {@code make
 * test} runs would usually fail with it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "tests", matches = "all")
public @interface Rare {

  /** Whether rare tests run, for tests with many cases of which some are rare. */
  boolean ALSO = "all".equals(System.getProperty("tests"));
}
