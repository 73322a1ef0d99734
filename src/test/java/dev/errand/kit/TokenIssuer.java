package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * An identity provider: serves the documents of OpenID Connect discovery and its public key, and
 * signs tokens with RS256.
 */
public final class TokenIssuer {

  public static final String AUDIENCE = "errand";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
  private static final String KEY_ID = "k1";
  private static final int KEY_BITS = 2048;
  private static final int MINUTE_SECONDS = 60;

  private static final String SHARED_URL = "test.issuer.url";
  private static final String SHARED_KEY = "test.issuer.key";

  private final String url;
  private final PrivateKey key;

  private TokenIssuer(String url, PrivateKey key) {
    this.url = url;
    this.key = key;
  }

  /**
   * The issuer of this process. Classes of the profile and of the tests are loaded apart, so what
   * they share are texts.
   */
  public static TokenIssuer shared() {
    if (System.getProperty(SHARED_URL) == null) {
      var keys = keys();
      System.setProperty(SHARED_URL, serve(keys));
      System.setProperty(
          SHARED_KEY, Base64.getEncoder().encodeToString(keys.getPrivate().getEncoded()));
    }
    return new TokenIssuer(
        System.getProperty(SHARED_URL, ""), read(System.getProperty(SHARED_KEY, "")));
  }

  private static PrivateKey read(String key) {
    try {
      return KeyFactory.getInstance("RSA")
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(key)));
    } catch (GeneralSecurityException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static String serve(KeyPair keys) {
    try {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      var url = "http://127.0.0.1:" + server.getAddress().getPort();
      serve(
          server,
          "/.well-known/openid-configuration",
          Map.of("issuer", url, "jwks_uri", url + "/keys", "token_endpoint", url + "/token"));
      serve(server, "/keys", Map.of("keys", List.of(publicKey(keys))));
      server.start();
      return url;
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  public static KeyPair keys() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(KEY_BITS);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static void serve(HttpServer server, String path, Map<String, ?> document) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            var body = JSON.writeValueAsBytes(document);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
        });
  }

  private static Map<String, String> publicKey(KeyPair keys) {
    var key = (RSAPublicKey) keys.getPublic();
    return Map.of(
        "kty",
        "RSA",
        "use",
        "sig",
        "alg",
        "RS256",
        "kid",
        KEY_ID,
        "n",
        number(key.getModulus()),
        "e",
        number(key.getPublicExponent()));
  }

  private static String number(BigInteger value) {
    var bytes = value.toByteArray();
    var from = bytes[0] == 0 ? 1 : 0;
    return BASE64.encodeToString(Arrays.copyOfRange(bytes, from, bytes.length));
  }

  public String url() {
    return url;
  }

  /** A token of this user, valid for a minute, with these claims in addition or instead. */
  public String token(String subject, Map<String, ?> claims) {
    return token(key, Map.of(), subject, claims);
  }

  /**
   * A token that is signed with another key, or has other values in its header. With the algorithm
   * {@code HS256}, the public key of the issuer is the shared secret.
   */
  public String token(
      PrivateKey signer, Map<String, ?> header, String subject, Map<String, ?> claims) {
    var now = Instant.now().getEpochSecond();
    var all = new HashMap<String, Object>();
    all.put("iss", url);
    all.put("aud", AUDIENCE);
    all.put("sub", subject);
    all.put("iat", now);
    all.put("exp", now + MINUTE_SECONDS);
    all.putAll(claims);
    var first = new HashMap<String, Object>(Map.of("alg", "RS256", "typ", "JWT", "kid", KEY_ID));
    first.putAll(header);
    try {
      var content = part(first) + "." + part(all);
      return content
          + "."
          + switch (String.valueOf(first.get("alg"))) {
            case "none" -> "";
            case "HS256" -> sharedSecretSignature(content);
            default -> signature(signer, content);
          };
    } catch (JsonProcessingException | GeneralSecurityException fault) {
      throw new IllegalStateException(fault);
    }
  }

  public PrivateKey key() {
    return key;
  }

  private String sharedSecretSignature(String content) throws GeneralSecurityException {
    var own = (RSAPrivateCrtKey) key;
    var open =
        KeyFactory.getInstance("RSA")
            .generatePublic(new RSAPublicKeySpec(own.getModulus(), own.getPublicExponent()));
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(open.getEncoded(), "HmacSHA256"));
    return BASE64.encodeToString(mac.doFinal(content.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String part(Map<String, ?> value) throws JsonProcessingException {
    return BASE64.encodeToString(JSON.writeValueAsBytes(value));
  }

  private static String signature(PrivateKey signer, String content)
      throws GeneralSecurityException {
    var signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(signer);
    signature.update(content.getBytes(StandardCharsets.US_ASCII));
    return BASE64.encodeToString(signature.sign());
  }
}
