import { allDefinitions } from "../built-in.ts";
import type { Documents } from "../documents.ts";
import type { Schema } from "../schema.ts";
import { withoutProse } from "./prose.ts";
import { table } from "./table.ts";

/** Published in every document with that document's group-version beside the core one: the reader adds it again. */
export const IN_EVERY_GROUP = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/;

/** One line per definition: its name, a space, its schema as JSON. */
export function definitionsTable(published: Documents): string {
  const lines = Object.entries(allDefinitions(published)).map(
    ([name, schema]) => `${name} ${JSON.stringify(withoutProse(common(name, schema)))}`,
  );
  return table(published, "definitions", lines);
}

function common(name: string, schema: Schema): Schema {
  if (!IN_EVERY_GROUP.test(name)) return schema;
  const core = schema["x-kubernetes-group-version-kind"]?.filter(({ group }) => group === "") ?? [];
  return { ...schema, "x-kubernetes-group-version-kind": core };
}
