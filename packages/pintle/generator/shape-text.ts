import { leaf } from "./leaf.ts";
import { byText, type Definitions, referenced, type Schema } from "./schema.ts";

/**
 * The shape table (see kinds/shape-table.ts) of everything reachable from `roots`: one string per file, so that a
 * group-version is complete without loading another one.
 */
export function shapeText(
  roots: readonly string[],
  definitions: Definitions,
): { readonly text: string; nameOf(definition: string): string } {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const lines = new Map<string, string>();
  for (const root of roots) nameOf(root);
  // A Map's iteration also visits what is added on the way.
  for (const [definition, name] of names) lines.set(name, line(name, definition));
  return {
    text: [...lines]
      .sort(([a], [b]) => byText(a, b))
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

  function schemaOf(definition: string): Schema {
    const found = definitions[definition];
    if (found === undefined) throw new Error(`The schema ${definition} is referred to but not published`);
    return found;
  }

  function line(name: string, definition: string): string {
    const schema = schemaOf(definition);
    const head = `${name}${schema["x-kubernetes-map-type"] === "atomic" ? "!" : ""}${isOpen(schema) ? "?" : ""}`;
    const fields = Object.entries(schema.properties ?? {})
      .sort(([a], [b]) => byText(a, b))
      .map(([field, property]) => {
        const text = expression(property) + patch(property);
        return text === "" ? encoded(field) : `${encoded(field)}:${text}`;
      });
    return [head, ...fields].join(" ");
  }

  function expression(schema: Schema): string {
    const definition = referenced(schema);
    if (definition !== undefined) return named(definition, schema["x-kubernetes-map-type"]);
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

  function named(definition: string, mapType: string | undefined): string {
    const special = leaf(definition)?.shape;
    if (special !== undefined) return special;
    const schema = schemaOf(definition);
    if (schema.properties === undefined) return expression(schema);
    const itself = schema["x-kubernetes-map-type"] ?? "granular";
    const difference = mapType === undefined || mapType === itself ? "" : mapType === "atomic" ? "!" : "~";
    return nameOf(definition) + difference;
  }

  /** Without a list type the server falls back on the patch strategy. */
  function list(schema: Schema): string {
    const merges = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge") === true;
    const mergeKey = schema["x-kubernetes-patch-merge-key"];
    const type = schema["x-kubernetes-list-type"] ?? (!merges ? "atomic" : mergeKey === undefined ? "set" : "map");
    const items = `[${expression(schema.items ?? {})}]`;
    if (type === "atomic") return items;
    if (type === "set") return `${items}+`;
    const keys = [...(schema["x-kubernetes-list-map-keys"] ?? [mergeKey!])].sort(byText);
    return `${items}#${keys.map((key) => encoded(key) + keyDefault(schema.items ?? {}, key)).join(",")}`;
  }

  function keyDefault(items: Schema, key: string): string {
    const definition = referenced(items);
    const value = (definition === undefined ? items : schemaOf(definition)).properties?.[key]?.default;
    if (value === undefined) return "";
    return typeof value === "string" ? `=${encoded(value)}` : `:${encoded(JSON.stringify(value))}`;
  }
}

function patch(schema: Schema): string {
  const strategy = schema["x-kubernetes-patch-strategy"];
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (strategy === undefined) return "";
  return `/${strategy}${mergeKey === undefined ? "" : `/${encoded(mergeKey)}`}`;
}

/** A struct that also takes undeclared fields. */
export function isOpen(schema: Schema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema["x-kubernetes-embedded-resource"] === true;
}

function encoded(text: string): string {
  return text.replace(/[^\w$.-]/gu, (c) =>
    [...Buffer.from(c)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
