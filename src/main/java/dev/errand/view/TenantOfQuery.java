package dev.errand.view;

import dev.errand.auth.Caller;
import dev.errand.auth.Callers;
import io.quarkus.hibernate.orm.PersistenceUnitExtension;
import io.quarkus.hibernate.orm.runtime.tenant.TenantResolver;
import jakarta.inject.Singleton;
import java.util.function.Supplier;

/**
 * The tenant whose rows the queries of the read model find: that of the caller, or the one that a
 * query is {@link #asked} for. Without either, they find nothing.
 */
@Singleton
@PersistenceUnitExtension
class TenantOfQuery implements TenantResolver {

  /** No tenant has this name. */
  private static final String NONE = "";

  private static final ScopedValue<String> ASKED = ScopedValue.newInstance();

  private final Callers callers;

  TenantOfQuery(Callers callers) {
    this.callers = callers;
  }

  @Override
  public String getDefaultTenantId() {
    return NONE;
  }

  @Override
  public String resolveTenantId() {
    return ASKED.isBound()
        ? ASKED.get()
        : callers.current().map(Caller::tenant).orElseGet(this::getDefaultTenantId);
  }

  /** Reads the rows of a tenant, be it that of the caller or not. */
  static <T> T asked(String tenant, Supplier<T> read) {
    return ScopedValue.where(ASKED, tenant).call(read::get);
  }
}
