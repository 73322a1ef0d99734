package dev.errand.setting;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The least and the greatest value of a setting, inclusive: {@code 1}, or {@code 500ms} for a
 * duration. For an optional setting, a list or a map: of each value in it. {@link BoundsCheck}
 * checks it at start, at less cost than Bean Validation, which reads the metadata of all settings.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Bounds {

  String min() default "";

  String max() default "";
}
