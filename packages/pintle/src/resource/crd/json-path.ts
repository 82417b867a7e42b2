import type { StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";

/** One step of a JSONPath: a field, or a selection of list items. */
export type JsonPathStep = { readonly field: string } | { readonly items: string };

const STEP_PATTERN = /^(?:\.((?:[\w$-]|\\.|\/)+)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\]|\[((?:[^\]"]|"[^"]*")*)\])/;

/** Parses a path like `.spec.ports[*].name`. Returns undefined for text that is not such a path. */
export function parseJsonPath(path: string): readonly JsonPathStep[] | undefined {
  const parsed: JsonPathStep[] = [];
  let rest = path;
  while (rest !== "") {
    const found = STEP_PATTERN.exec(rest);
    if (found === null) return undefined;
    const [all, dotted, single, double, items] = found;
    const field = dotted?.replace(/\\(.)/g, "$1") ?? single ?? double;
    if (field !== undefined) parsed.push({ field });
    else if (/^(\*|-?\d+|-?\d*:-?\d*|\?\(.+\))$/.test(items!)) parsed.push({ items: items! });
    else return undefined;
    rest = rest.slice(all.length);
  }
  return parsed.length > 0 ? parsed : undefined;
}

/**
 * Returns the schema at the end of a path, undefined below a schema that preserves unknown fields. Throws `InvalidResource`, with `option`
 * as its path, if the schema has no such field.
 */
export function schemaAtPath(root: StructuralSchema, path: string, option: string): StructuralSchema | undefined {
  const steps = parseJsonPath(path);
  if (steps === undefined)
    throw new InvalidResource(option, `"${path}" is not a path`, 'write one like ".spec.size" or ".spec.ports[0].name"');
  let current: StructuralSchema | undefined = root;
  let walked = "";
  for (const step of steps) {
    if (current === undefined) return undefined;
    const next: StructuralSchema | "open" | undefined =
      "field" in step ? schemaOfField(current, step.field) : (current.items ?? openSchema(current));
    walked += "field" in step ? `.${step.field}` : `[${step.items}]`;
    if (next === undefined) throw pathNotFound(current, path, walked, option);
    current = next === "open" ? undefined : next;
  }
  return current;
}

function schemaOfField(schema: StructuralSchema, name: string): StructuralSchema | "open" | undefined {
  return schema.properties?.[name] ?? schema.additionalProperties ?? openSchema(schema);
}

function openSchema(schema: StructuralSchema): "open" | undefined {
  return schema["x-kubernetes-preserve-unknown-fields"] || schema["x-kubernetes-embedded-resource"] ? "open" : undefined;
}

function pathNotFound(schema: StructuralSchema, path: string, walked: string, option: string): InvalidResource {
  const known = Object.keys(schema.properties ?? {});
  const advice = known.length > 0 ? `known here: ${known.sort().join(", ")}` : "there are no fields at this point";
  return new InvalidResource(option, `"${path}" does not exist: there is no ${walked}`, advice);
}
