import type { StructuralSchema } from "./custom-resource-definition.ts";
import { InvalidResource } from "./invalid-resource.ts";

/** One step of a JSONPath: a field, or all or some items of a list. */
export type Step = { readonly field: string } | { readonly items: string };

const STEP = /^(?:\.((?:[\w$-]|\\.|\/)+)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\]|\[([^\]]*(?:"[^"]*"[^\]]*)*)\])/;

/** `.spec.ports[*].name` as steps; undefined when it is no such path. */
export function steps(path: string): readonly Step[] | undefined {
  const out: Step[] = [];
  let rest = path;
  while (rest !== "") {
    const found = STEP.exec(rest);
    if (found === null) return undefined;
    const [all, dotted, single, double, items] = found;
    const field = dotted?.replace(/\\(.)/g, "$1") ?? single ?? double;
    if (field !== undefined) out.push({ field });
    else if (/^(\*|-?\d+|-?\d*:-?\d*|\?\(.+\))$/.test(items!)) out.push({ items: items! });
    else return undefined;
    rest = rest.slice(all.length);
  }
  return out.length > 0 ? out : undefined;
}

/** The schema at the end of a path; undefined where the schema leaves everything open. Refuses a path that leads nowhere. */
export function schemaAt(root: StructuralSchema, path: string, said: string): StructuralSchema | undefined {
  const all = steps(path);
  if (all === undefined) throw new InvalidResource(said, `"${path}" is not a path`, 'write one like ".spec.size" or ".spec.ports[0].name"');
  let here: StructuralSchema | undefined = root;
  let walked = "";
  for (const step of all) {
    if (here === undefined) return undefined;
    const next: StructuralSchema | "open" | undefined = "field" in step ? fieldOf(here, step.field) : (here.items ?? open(here));
    walked += "field" in step ? `.${step.field}` : `[${step.items}]`;
    if (next === undefined) throw nowhere(here, path, walked, said);
    here = next === "open" ? undefined : next;
  }
  return here;
}

function fieldOf(schema: StructuralSchema, name: string): StructuralSchema | "open" | undefined {
  return schema.properties?.[name] ?? schema.additionalProperties ?? open(schema);
}

function open(schema: StructuralSchema): "open" | undefined {
  return schema["x-kubernetes-preserve-unknown-fields"] || schema["x-kubernetes-embedded-resource"] ? "open" : undefined;
}

function nowhere(schema: StructuralSchema, path: string, walked: string, said: string): InvalidResource {
  const known = Object.keys(schema.properties ?? {});
  const advice = known.length > 0 ? `known here: ${known.sort().join(", ")}` : "the path ends before this";
  return new InvalidResource(said, `"${path}" leads nowhere: there is no ${walked}`, advice);
}
