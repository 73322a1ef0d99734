package dev.errand.console;

import dev.errand.http.Refusal;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Optional;

/**
 * The pages of the console. Every address below {@code /console/} is the same page, which reads
 * what it shows from {@code /v1}: anybody may load it, and see only what a caller may see there.
 */
@Path("/console")
@RunOnVirtualThread
@PermitAll
class ConsoleResource {

  private static final String FOREVER = "public, max-age=31536000, immutable";

  private final ConsoleFiles files;

  ConsoleResource(ConsoleFiles files) {
    this.files = files;
  }

  @GET
  @Path("{page: [A-Za-z0-9_]*}")
  @Produces(MediaType.TEXT_HTML)
  public Response page() {
    var content = files.content();
    return Response.ok(content.page())
        .header("Content-Security-Policy", content.policy())
        .header("Cache-Control", "no-cache")
        .build();
  }

  @GET
  @Path("assets/{version}/{file: .+}")
  public Response asset(@PathParam("version") String version, @PathParam("file") String name) {
    var content = files.content();
    var file =
        Optional.ofNullable(content.files().get(name))
            .filter(_ -> version.equals(content.version()));
    return file.map(found ->
            Response.ok(found.compressed(), found.type())
                .header("Content-Encoding", "gzip")
                .header("Cache-Control", FOREVER)
                .build())
        .orElseThrow(() -> Refusal.notFound("file", name));
  }
}
