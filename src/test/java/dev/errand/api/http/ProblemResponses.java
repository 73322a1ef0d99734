package dev.errand.api.http;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;

/**
 * Documents the statuses that operations have in common, and that each status from 400 on is
 * answered with a problem document. Statuses of one operation are documented at its method.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class ProblemResponses implements OASFilter {

  private static final String PROBLEM = "Problem";
  private static final String BEARER = "bearer";
  private static final String INVALID = "400";

  @Override
  public void filterOpenAPI(OpenAPI document) {
    document.getComponents().addSchema(PROBLEM, problem());
    document.getComponents().addSecurityScheme(BEARER, bearer());
    document.addSecurityRequirement(OASFactory.createSecurityRequirement().addScheme(BEARER));
    document
        .getPaths()
        .getPathItems()
        .values()
        .forEach(path -> path.getOperations().forEach(ProblemResponses::complete));
  }

  private static SecurityScheme bearer() {
    return OASFactory.createSecurityScheme()
        .type(SecurityScheme.Type.HTTP)
        .scheme(BEARER)
        .description("A key, a session token, or a token of the identity provider");
  }

  private static void complete(HttpMethod method, Operation operation) {
    add(operation, INVALID, "The request is invalid; `errors` names each field that is wrong");
    if (method != HttpMethod.DELETE && hasPathParameter(operation)) {
      add(operation, "404", "Does not exist");
    }
    add(operation, "401", "The request has no valid key or token");
    add(operation, "403", "The role of the caller does not allow this");
    add(operation, "406", "The header Accept allows none of the content types");
    if (operation.getRequestBody() != null) {
      add(operation, "413", RequestLimits.BODY_DETAIL);
      add(operation, "415", "The body is not application/json");
    }
    add(operation, "421", "The header Host does not name this service");
    add(
        operation,
        "429",
        "This client has too many connections, waiting requests or streams; nothing was accepted."
            + " Try again after `Retry-After` seconds");
    add(
        operation,
        "503",
        "Not available now. `detail` says that nothing was accepted, or how to find out. Try again"
            + " after `Retry-After` seconds");
    add(operation, "default", "Any other failure");
    operation
        .getResponses()
        .getAPIResponses()
        .forEach((status, response) -> {
          if (!status.startsWith("2")) {
            response.setContent(content());
          }
        });
  }

  /** A status that is documented at the method keeps its description, except the generated 400. */
  private static void add(Operation operation, String status, String description) {
    var responses = operation.getResponses();
    if (status.equals(INVALID) || !responses.hasAPIResponse(status)) {
      responses.addAPIResponse(status, OASFactory.createAPIResponse().description(description));
    }
  }

  private static boolean hasPathParameter(Operation operation) {
    return Optional.ofNullable(operation.getParameters()).orElse(List.of()).stream()
        .anyMatch(parameter -> parameter.getIn() == Parameter.In.PATH);
  }

  private static Content content() {
    var schema = OASFactory.createSchema().ref("#/components/schemas/" + PROBLEM);
    return OASFactory.createContent()
        .addMediaType(Problem.MEDIA_TYPE, OASFactory.createMediaType().schema(schema));
  }

  private static Schema problem() {
    var error =
        typed(Schema.SchemaType.OBJECT)
            .addProperty("field", typed(Schema.SchemaType.STRING))
            .addProperty("message", typed(Schema.SchemaType.STRING))
            .required(List.of("field", "message"));
    return typed(Schema.SchemaType.OBJECT)
        .description("A problem document (RFC 9457)")
        .addProperty("type", typed(Schema.SchemaType.STRING))
        .addProperty("title", typed(Schema.SchemaType.STRING))
        .addProperty("status", typed(Schema.SchemaType.INTEGER))
        .addProperty("detail", typed(Schema.SchemaType.STRING))
        .addProperty("instance", typed(Schema.SchemaType.STRING))
        .addProperty("errors", typed(Schema.SchemaType.ARRAY).items(error))
        .addProperty(
            "quota",
            typed(Schema.SchemaType.STRING)
                .description("The limit that is used up; `type` is `" + Problem.QUOTA + "`"))
        .required(List.of("type", "title", "status", "detail", "instance", "errors"));
  }

  private static Schema typed(Schema.SchemaType type) {
    return OASFactory.createSchema().type(List.of(type));
  }
}
