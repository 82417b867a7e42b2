import type { Json } from "pintle/kinds";
import { definitionName, type GoType, goStruct } from "../go/structs.ts";
import { definition } from "../published/index.ts";

/** Fills in what is missing in a value of one type, in place. */
export type Default = (draft: any) => void;

/** Functions by Go struct: "core.v1.Probe". They apply wherever a value of the type stands. */
export type DefaultTable = Readonly<Record<string, Default>>;

/**
 * The server's defaulting is about types, not kinds: a struct's own defaults come first, then those of its fields. What
 * this makes walks only the parts of a type that have any.
 */
export function defaulters(table: DefaultTable): (struct: string) => Default | undefined {
  const made = new Map<string, Default | undefined>();

  function ofStruct(name: string): Default | undefined {
    if (made.has(name)) return made.get(name);
    // A struct that contains itself finds this one, which by then has been completed.
    let steps: readonly Default[] = [];
    made.set(name, (draft) => {
      for (const step of steps) step(draft);
    });
    steps = stepsOf(name);
    if (steps.length === 0) made.set(name, undefined);
    return made.get(name);
  }

  function stepsOf(name: string): Default[] {
    const steps: Default[] = [];
    const own = table[name.replace(/^.*\.(?=\w+\.\w+\.\w+$)/, "")];
    if (own !== undefined) steps.push(own);
    for (const { field, value, pointer } of published(name)) {
      steps.push((draft) => {
        if (draft[field] == null || (!pointer && isZero(draft[field]))) draft[field] = value;
      });
    }
    for (const [field, { type }] of goStruct(name)) {
      const inner = ofType(type);
      if (inner === undefined) continue;
      steps.push((draft) => {
        const value = draft[field];
        if (value !== undefined && value !== null) inner(value);
      });
    }
    return steps;
  }

  function ofType(type: GoType): Default | undefined {
    if (type.type === "struct") return ofStruct(type.name);
    if (type.type !== "list" && type.type !== "map") return undefined;
    const item = ofType(type.of);
    if (item === undefined) return undefined;
    return (items) => {
      for (const each of Object.values(items)) item(each);
    };
  }

  return ofStruct;
}

const isZero = (value: unknown) => value === "" || value === 0;

interface Published {
  readonly field: string;
  readonly value: Json;
  /** Then zero is a value like any other. */
  readonly pointer: boolean;
}

/** Defaults that the server publishes, less those that only say which fields are never missing. */
function published(struct: string): readonly Published[] {
  const properties = definition(definitionName(struct))?.["properties"] ?? {};
  const fields = goStruct(struct);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = (schema as { readonly default?: Json }).default;
    const field = fields.get(name);
    if (value === undefined || field === undefined || typeof value === "object") return [];
    const pointer = field.zero === "pointer" || field.zero === "null";
    return pointer || !(isZero(value) || value === false) ? [{ field: name, value, pointer }] : [];
  });
}
