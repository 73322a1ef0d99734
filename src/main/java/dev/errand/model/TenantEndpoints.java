package dev.errand.model;

import dev.errand.egress.BlockedAddressException;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.HostResolver;
import dev.errand.egress.Verdict;
import dev.errand.model.ModelException.Code;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The addresses that tenants may give for their models; checked when they are given and before each
 * call. Both look up the name in the same cache, that of the JDK.
 */
@Singleton
public class TenantEndpoints {

  private final EgressPolicy policy;

  TenantEndpoints(
      @ConfigProperty(name = "errand.tenants.private-endpoints", defaultValue = "false")
          boolean allowPrivate) {
    this.policy =
        new EgressPolicy(HostResolver.SYSTEM, new EgressPolicy.Rules(!allowPrivate, allowPrivate));
  }

  /** Why an address must not be called, as the end of a sentence; empty if it may. */
  public Optional<String> problem(String url) {
    return switch (policy.judge(url)) {
      case Verdict.Allowed allowed -> problem(allowed.url());
      case Verdict.Malformed malformed -> Optional.of(malformed.reason());
      case Verdict.Refused refused ->
          Optional.of(
              refused.reason()
                  + "; an operator can allow plain http and private addresses by"
                  + " errand.tenants.private-endpoints (ERRAND_TENANTS_PRIVATE_ENDPOINTS)");
    };
  }

  /**
   * Checks the address of a tenant before it is called.
   *
   * @throws ModelException it must not be called, or its host is not found
   */
  void check(Endpoint endpoint) {
    try {
      var ignored = policy.addresses(endpoint.baseUrl().getHost());
    } catch (BlockedAddressException blocked) {
      throw endpoint.fault(
          Code.MODEL_NOT_CONFIGURED, "must not be called: its address is private.", blocked);
    } catch (UnknownHostException unknown) {
      throw endpoint.fault(Code.MODEL_UNREACHABLE, "cannot be reached.", unknown);
    }
  }

  private static Optional<String> problem(URI url) {
    return url.getRawQuery() == null && url.getRawFragment() == null
        ? Optional.empty()
        : Optional.of("must have no query and no fragment");
  }
}
