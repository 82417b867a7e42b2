import type { Json } from "pintle/kinds";
import { type GoType, getDefinitionName, getGoStruct } from "../go-types/go-structs.ts";
import { getDefinition } from "../published/index.ts";

/** Sets the defaults of a value in place. */
export type DefaultingFunction = (draft: any) => void;

/** Defaulting functions by Go struct: "core.v1.Probe". They apply to every value of the type. */
export type DefaultingFunctions = Readonly<Record<string, DefaultingFunction>>;

/**
 * Creates a lookup of defaulting functions by struct name. kube-apiserver applies defaults by type: those of a struct
 * first, then those of its fields. The functions visit only the fields whose types have defaults.
 */
export function createStructDefaulter(table: DefaultingFunctions): (struct: string) => DefaultingFunction | undefined {
  const defaultersByStruct = new Map<string, DefaultingFunction | undefined>();

  function getStructDefaulter(name: string): DefaultingFunction | undefined {
    if (defaultersByStruct.has(name)) return defaultersByStruct.get(name);
    // A recursive struct finds this function, which is completed below.
    let steps: readonly DefaultingFunction[] = [];
    defaultersByStruct.set(name, (draft) => {
      for (const step of steps) step(draft);
    });
    steps = compileSteps(name);
    if (steps.length === 0) defaultersByStruct.set(name, undefined);
    return defaultersByStruct.get(name);
  }

  function compileSteps(name: string): DefaultingFunction[] {
    const steps: DefaultingFunction[] = [];
    const own = table[name.replace(/^.*\.(?=\w+\.\w+\.\w+$)/, "")];
    if (own !== undefined) steps.push(own);
    for (const { field, value, isPointer } of listPublishedDefaults(name)) {
      steps.push((draft) => {
        if (draft[field] == null || (!isPointer && isZero(draft[field]))) draft[field] = value;
      });
    }
    for (const [field, { type }] of getGoStruct(name)) {
      const inner = compileTypeDefaulter(type);
      if (inner === undefined) continue;
      steps.push((draft) => {
        const value = draft[field];
        if (value !== undefined && value !== null) inner(value);
      });
    }
    return steps;
  }

  function compileTypeDefaulter(type: GoType): DefaultingFunction | undefined {
    if (type.type === "struct") return getStructDefaulter(type.name);
    if (type.type !== "list" && type.type !== "map") return undefined;
    const item = compileTypeDefaulter(type.of);
    if (item === undefined) return undefined;
    return (items) => {
      for (const each of Object.values(items)) item(each);
    };
  }

  return getStructDefaulter;
}

const isZero = (value: unknown) => value === "" || value === 0;

interface PublishedDefault {
  readonly field: string;
  readonly value: Json;
  /** True for pointer fields, where an explicit zero is not replaced. */
  readonly isPointer: boolean;
}

/** Returns the defaults in the OpenAPI definition, except for those that only mark required fields. */
function listPublishedDefaults(struct: string): readonly PublishedDefault[] {
  const properties = getDefinition(getDefinitionName(struct))?.["properties"] ?? {};
  const fields = getGoStruct(struct);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = (schema as { readonly default?: Json }).default;
    const field = fields.get(name);
    if (value === undefined || field === undefined || typeof value === "object") return [];
    const pointer = field.zero === "pointer" || field.zero === "null";
    return pointer || !(isZero(value) || value === false) ? [{ field: name, value, isPointer: pointer }] : [];
  });
}
