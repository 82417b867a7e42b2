import type * as z from "zod";
import type { Json } from "../kinds/index.ts";
import type { ValidationRule } from "./custom-resource-definition.ts";

/** What a Zod schema cannot say about itself. Filled only by the field functions, never by hand. */
export interface Facts {
  readonly format?: string;
  readonly list?: { readonly type: "map"; readonly keys: readonly string[] } | { readonly type: "set" };
  /** `true`: owned and replaced as a whole; `false`: said to be granular. */
  readonly atomic?: boolean;
  readonly embedded?: true;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly rules?: readonly ValidationRule[];
  /** Some rule is free CEL: only the server can say whether a value passes. */
  readonly undecided?: true;
  readonly title?: string;
  readonly example?: Json;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
}

/** `SomeType`, never `ZodType`: comparing one z.object() with `ZodType` costs the compiler 70,000 instantiations. */
export type Any = z.core.SomeType;

/** Says why a value is wrong; nothing when it is right. */
export type Complaint<T = any> = (value: T) => string | undefined;

interface Mark {
  readonly check: "pintle";
  readonly facts: Facts;
}

/**
 * The same schema carrying facts. They travel as a check, so they follow it through `.min()`, `.describe()` and
 * `.safeExtend()`, and Zod itself refuses the operations that would lose them (`.pick()`, `.omit()`, ...).
 */
export function mark<S extends Any>(schema: S, facts: Facts, complaint?: Complaint): S {
  const def: Mark = { check: "pintle", facts };
  const check = (payload: { value: unknown; issues: unknown[] }) => {
    const message = complaint?.(payload.value);
    if (message !== undefined) payload.issues.push({ code: "custom", message, input: payload.value, inst: undefined, continue: true });
  };
  const carrier = { _zod: { def, check, onattach: [] } };
  return (schema as unknown as z.ZodType).check(carrier as unknown as z.core.$ZodCheck<unknown>) as unknown as S;
}

export function isMark(def: { readonly check: string }): def is Mark {
  return def.check === "pintle";
}

/** Everything marked on a schema, later marks over earlier ones; rules add up. */
export function factsOf(schema: Any): Facts {
  let facts: Facts = {};
  for (const { _zod } of (schema as z.core.$ZodType)._zod.def.checks ?? []) {
    const def: { readonly check: string } = _zod.def;
    if (!isMark(def)) continue;
    const rules = [...(facts.rules ?? []), ...(def.facts.rules ?? [])];
    facts = { ...facts, ...def.facts, ...(rules.length > 0 ? { rules } : {}) };
  }
  return facts;
}
