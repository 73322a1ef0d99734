package dev.errand.console;

import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;

/** Sends browsers from the address of the service to the console. */
@Path("/")
@PermitAll
class RootResource {

  @GET
  @Produces(MediaType.TEXT_HTML)
  public Response toConsole() {
    return Response.seeOther(URI.create("console/")).build();
  }
}
