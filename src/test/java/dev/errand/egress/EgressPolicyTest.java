package dev.errand.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.egress.EgressPolicy.BlockedAddressException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The URLs that clients can make the service call. */
class EgressPolicyTest {

  private static final EgressRules STRICT = new EgressRules(false, false);
  private static final EgressRules LENIENT = new EgressRules(false, true);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1",
        "http://127.0.0.1:9200/x",
        "http://0.0.0.0",
        "http://[::]",
        "http://[::1]",
        "http://[0:0:0:0:0:0:0:1]:80",
        "http://[::ffff:127.0.0.1]",
        "http://[::ffff:7f00:1]",
        "http://[::ffff:a9fe:a9fe]",
        "http://[::127.0.0.1]",
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]",
        "http://100.100.100.200",
        "http://100.64.0.1",
        "http://100.127.255.255",
        "http://10.0.0.1",
        "http://10.255.255.255",
        "http://172.16.0.1",
        "http://172.31.255.255",
        "http://192.168.1.1",
        "http://192.0.0.1",
        "http://192.0.2.1",
        "http://198.18.0.1",
        "http://198.19.255.255",
        "http://198.51.100.1",
        "http://203.0.113.1",
        "http://224.0.0.1",
        "http://239.255.255.255",
        "http://240.0.0.1",
        "http://255.255.255.255",
        "http://[fc00::1]",
        "http://[fdff::1]",
        "http://[fe80::1]",
        "http://[fe80::1%25eth0]",
        "http://[fec0::1]",
        "http://[ff02::1]",
        "http://[64:ff9b::7f00:1]",
        "http://[64:ff9b::a9fe:a9fe]",
        "http://[64:ff9b:1::7f00:1]",
        "http://[2002:7f00:1::]",
        "http://[2002:0a00:0001::1]",
        "http://[2001:0:7f00:1::]",
        "http://[2001:db8::1]",
        "http://[100::1]",
        "http://localhost",
        "http://localhost.",
        "http://LOCALHOST:8080",
        "http://127.0.0.1#@93.184.215.14",
        "http://good@127.0.0.1",
        "http://good:secret@93.184.215.14",
        "file:///etc/passwd",
        "jar:http://93.184.215.14!/",
        "gopher://93.184.215.14",
        "ftp://93.184.215.14",
        "data:text/plain,x",
        "javascript:alert(1)"
      })
  void privateAddressesAndOtherSchemesAreRefused(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, STRICT).judge(url))
        .isInstanceOf(UrlVerdict.Refused.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.1",
        "http://2130706433",
        "http://0x7f000001",
        "http://0x7f.0.0.1",
        "http://0177.0.0.1",
        "http://017700000001",
        "http://0",
        "http://2852039166",
        "http://0xa9fea9fe",
        "http://127.0.0.1.",
        "http://93.184.215.14:80@127.0.0.1",
        "http://１２７.0.0.1",
        "http://127。0。0。1",
        "http://8.8.8.8.",
        "http://010.8.8.8"
      })
  void unusualSpellingsOfAddressesAreRefused(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, STRICT).judge(url))
        .isNotInstanceOf(UrlVerdict.Allowed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "example",
        "/path",
        "//93.184.215.14/path",
        "http:",
        "http://",
        "http:///path",
        "http:93.184.215.14",
        "http://good\\@127.0.0.1",
        "http://127.0.0.1\r\nHost: x",
        "http://93.184.215.14:0",
        "http://93.184.215.14:70000",
        "http://[::1",
        "http://a b"
      })
  void invalidUrlsAreMalformed(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, STRICT).judge(url))
        .isInstanceOf(UrlVerdict.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://93.184.215.14",
        "http://8.8.8.8:8080/hook?x=1",
        "https://[2606:4700:4700::1111]/",
        "https://[64:ff9b::808:808]/",
        "http://172.15.255.255",
        "http://172.32.0.1",
        "http://100.63.255.255",
        "http://100.128.0.1",
        "http://192.0.1.1",
        "http://198.17.255.255",
        "http://223.255.255.255"
      })
  void publicAddressesAreAllowed(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, STRICT).judge(url))
        .isInstanceOf(UrlVerdict.Allowed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://127.0.0.1:1", "http://10.0.0.1", "http://[::1]", "http://[fc00::1]"})
  void operatorMayAllowPrivateAddresses(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, LENIENT).judge(url))
        .isInstanceOf(UrlVerdict.Allowed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://169.254.169.254",
        "http://[fe80::1]",
        "http://[fd00:ec2::254]",
        "http://100.100.100.200",
        "http://0.0.0.0",
        "http://224.0.0.1",
        "http://[64:ff9b::a9fe:a9fe]"
      })
  void metadataServicesAreAlwaysRefused(String url) {
    assertThat(new EgressPolicy(HostResolver.SYSTEM, LENIENT).judge(url))
        .isInstanceOf(UrlVerdict.Refused.class);
  }

  @Test
  void nameWithOnePrivateAddressIsRefused() {
    var policy = new EgressPolicy(host -> addresses("93.184.215.14", "10.0.0.7"), STRICT);

    assertThat(policy.judge("https://mixed.example")).isInstanceOf(UrlVerdict.Refused.class);
    assertThatThrownBy(() -> policy.addresses("mixed.example"))
        .isInstanceOf(BlockedAddressException.class)
        .hasMessage("blocked address");
  }

  @Test
  void unknownAndPrivateNamesAreRefusedWithTheSameMessage() {
    HostResolver names =
        host -> {
          if (host.equals("inside.example")) {
            return addresses("10.0.0.7");
          }
          throw new UnknownHostException(host);
        };
    var policy = new EgressPolicy(names, STRICT);

    assertThat(policy.judge("https://inside.example"))
        .isEqualTo(policy.judge("https://unknown.example"));
  }

  @Test
  void eachLookupIsChecked() throws UnknownHostException {
    var lookUps = new AtomicInteger();
    var policy =
        new EgressPolicy(
            _ -> addresses(lookUps.getAndIncrement() == 0 ? "93.184.215.14" : "127.0.0.1"), STRICT);

    assertThat(policy.addresses("rebinding.example")).hasSize(1);
    assertThatThrownBy(() -> policy.addresses("rebinding.example"))
        .isInstanceOf(BlockedAddressException.class);
  }

  @Test
  void httpIsRefusedIfHttpsIsRequired() {
    var policy = new EgressPolicy(HostResolver.SYSTEM, new EgressRules(true, false));

    assertThat(policy.judge("http://93.184.215.14")).isInstanceOf(UrlVerdict.Refused.class);
    assertThat(policy.judge("HTTPS://93.184.215.14")).isInstanceOf(UrlVerdict.Allowed.class);
  }

  @Test
  void longUrlIsMalformed() {
    var policy = new EgressPolicy(HostResolver.SYSTEM, STRICT);

    assertThat(policy.judge("https://93.184.215.14/" + "x".repeat(3_000)))
        .isInstanceOf(UrlVerdict.Malformed.class);
  }

  private static List<InetAddress> addresses(String... literals) {
    return Arrays.stream(literals).map(InetAddress::ofLiteral).toList();
  }
}
