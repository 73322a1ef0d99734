package dev.errand.api.http;

import java.util.List;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;

/** Documents that every operation answers errors as a problem document. */
public class ProblemResponses implements OASFilter {

  private static final String PROBLEM = "Problem";

  @Override
  public Operation filterOperation(Operation operation) {
    var schema = OASFactory.createSchema().ref("#/components/schemas/" + PROBLEM);
    var content =
        OASFactory.createContent()
            .addMediaType(Problem.MEDIA_TYPE, OASFactory.createMediaType().schema(schema));
    var response =
        OASFactory.createAPIResponse()
            .description("Refused or failed; nothing was changed")
            .content(content);
    operation.getResponses().removeAPIResponse("400");
    operation
        .getResponses()
        .getAPIResponses()
        .forEach((status, refusal) -> {
          if (status.startsWith("4")) {
            refusal.setContent(content);
          }
        });
    operation.getResponses().addAPIResponse("default", response);
    return operation;
  }

  @Override
  public void filterOpenAPI(OpenAPI document) {
    document.getComponents().addSchema(PROBLEM, problem());
  }

  private static Schema problem() {
    var error =
        typed(Schema.SchemaType.OBJECT)
            .addProperty("field", typed(Schema.SchemaType.STRING))
            .addProperty("message", typed(Schema.SchemaType.STRING));
    return typed(Schema.SchemaType.OBJECT)
        .description("RFC 9457")
        .addProperty("type", typed(Schema.SchemaType.STRING))
        .addProperty("title", typed(Schema.SchemaType.STRING))
        .addProperty("status", typed(Schema.SchemaType.INTEGER))
        .addProperty("detail", typed(Schema.SchemaType.STRING))
        .addProperty("instance", typed(Schema.SchemaType.STRING))
        .addProperty("errors", typed(Schema.SchemaType.ARRAY).items(error));
  }

  private static Schema typed(Schema.SchemaType type) {
    return OASFactory.createSchema().type(List.of(type));
  }
}
