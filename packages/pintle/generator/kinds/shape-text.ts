import { compareText, type Definitions, type OpenApiSchema, referencedDefinition } from "../schema.ts";
import { specialType } from "./special-types.ts";

/**
 * Renders the shape table (see kinds/shape-table.ts) of all definitions reachable from `roots`. Each file has a complete table, so that a
 * group-version does not load another one.
 */
export function renderShapeTable(
  roots: readonly string[],
  definitions: Definitions,
): { readonly text: string; nameOf(definition: string): string } {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const lines = new Map<string, string>();
  for (const root of roots) nameOf(root);
  // The iteration of a Map also visits entries added during the iteration.
  for (const [definition, name] of names) lines.set(name, line(name, definition));
  return {
    text: [...lines]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, text]) => text)
      .join("\n"),
    nameOf,
  };

  function nameOf(definition: string): string {
    const known = names.get(definition);
    if (known !== undefined) return known;
    const parts = definition.split(".");
    let name = parts.at(-1)!;
    for (let i = 2; taken.has(name); i++) name = `${parts.at(-1)}_${parts.slice(-i, -1).join("_")}`;
    taken.add(name);
    names.set(definition, name);
    return name;
  }

  function schemaOf(definition: string): OpenApiSchema {
    const found = definitions[definition];
    if (found === undefined) throw new Error(`The schema ${definition} is referenced but not published`);
    return found;
  }

  function line(name: string, definition: string): string {
    const schema = schemaOf(definition);
    const head = `${name}${schema["x-kubernetes-map-type"] === "atomic" ? "!" : ""}${preservesUnknownFields(schema) ? "?" : ""}`;
    const fields = Object.entries(schema.properties ?? {})
      .sort(([a], [b]) => compareText(a, b))
      .map(([field, property]) => {
        const text = expression(property) + renderPatchStrategy(property);
        return text === "" ? encodeName(field) : `${encodeName(field)}:${text}`;
      });
    return [head, ...fields].join(" ");
  }

  function expression(schema: OpenApiSchema): string {
    const definition = referencedDefinition(schema);
    if (definition !== undefined) return definitionText(definition, schema["x-kubernetes-map-type"]);
    if (schema["x-kubernetes-int-or-string"] === true) return "i";
    const own = schema["x-kubernetes-map-type"] === "atomic" ? "!" : "";
    switch (schema.type) {
      case "array":
        return list(schema);
      case "object":
        return `{${typeof schema.additionalProperties === "object" ? expression(schema.additionalProperties) : "?"}}${own}`;
      case undefined:
        return "?";
      case "string":
        return schema.format === "date-time" ? "t" : schema.format === undefined || ["", "byte"].includes(schema.format) ? "" : "a";
      default:
        return schema.type === "boolean" ? "b" : "n";
    }
  }

  function definitionText(definition: string, mapType: string | undefined): string {
    const special = specialType(definition)?.shape;
    if (special !== undefined) return special;
    const schema = schemaOf(definition);
    if (schema.properties === undefined) return expression(schema);
    const itself = schema["x-kubernetes-map-type"] ?? "granular";
    const difference = mapType === undefined || mapType === itself ? "" : mapType === "atomic" ? "!" : "~";
    return nameOf(definition) + difference;
  }

  /** Without a list type the API server derives it from the patch strategy. */
  function list(schema: OpenApiSchema): string {
    const merges = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge") === true;
    const mergeKey = schema["x-kubernetes-patch-merge-key"];
    const type = schema["x-kubernetes-list-type"] ?? (!merges ? "atomic" : mergeKey === undefined ? "set" : "map");
    const items = `[${expression(schema.items ?? {})}]`;
    if (type === "atomic") return items;
    if (type === "set") return `${items}+`;
    const keys = [...(schema["x-kubernetes-list-map-keys"] ?? [mergeKey!])].sort(compareText);
    return `${items}#${keys.map((key) => encodeName(key) + keyDefault(schema.items ?? {}, key)).join(",")}`;
  }

  function keyDefault(items: OpenApiSchema, key: string): string {
    const definition = referencedDefinition(items);
    const value = (definition === undefined ? items : schemaOf(definition)).properties?.[key]?.default;
    if (value === undefined) return "";
    return typeof value === "string" ? `=${encodeName(value)}` : `:${encodeName(JSON.stringify(value))}`;
  }
}

function renderPatchStrategy(schema: OpenApiSchema): string {
  const strategy = schema["x-kubernetes-patch-strategy"];
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (strategy === undefined) return "";
  return `/${strategy}${mergeKey === undefined ? "" : `/${encodeName(mergeKey)}`}`;
}

/** Whether a struct accepts undeclared fields. */
export function preservesUnknownFields(schema: OpenApiSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema["x-kubernetes-embedded-resource"] === true;
}

function encodeName(text: string): string {
  return text.replace(/[^\w$.-]/gu, (c) =>
    [...Buffer.from(c)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
