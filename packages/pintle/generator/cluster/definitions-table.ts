import type { PublishedDocuments } from "../input/documents.ts";
import { allDefinitions } from "../kinds/built-in-kinds.ts";
import type { OpenApiSchema } from "../schema.ts";
import { renderTable } from "./table.ts";
import { withoutDescriptions } from "./without-descriptions.ts";

/** Definitions that every document publishes with its own group-version; the reader of the table adds it. */
export const IN_EVERY_GROUP = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/;

/** Renders one line per definition: its name, a space, its schema as JSON. */
export function definitionsTable(published: PublishedDocuments): string {
  const lines = Object.entries(allDefinitions(published)).map(
    ([name, schema]) => `${name} ${JSON.stringify(withoutDescriptions(withCoreKindOnly(name, schema)))}`,
  );
  return renderTable(published, "definitions", lines);
}

function withCoreKindOnly(name: string, schema: OpenApiSchema): OpenApiSchema {
  if (!IN_EVERY_GROUP.test(name)) return schema;
  const core = schema["x-kubernetes-group-version-kind"]?.filter(({ group }) => group === "") ?? [];
  return { ...schema, "x-kubernetes-group-version-kind": core };
}
