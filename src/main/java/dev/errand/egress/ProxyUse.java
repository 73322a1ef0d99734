package dev.errand.egress;

/** The choice whether the proxies of the process are used. */
public enum ProxyUse {
  DIRECT,
  /**
   * A target is looked up and checked here, too, but the proxy looks it up again: what it connects
   * to is up to its own rules.
   */
  BY_PROXY
}
