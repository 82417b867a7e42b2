import type { Json } from "pintle/kinds";
import type { Structural } from "../structural.ts";
import { deepEqual } from "./equal.ts";
import { type Findings, problem } from "./problem.ts";
import { isClosed, oldItems, unchanged } from "./ratchet.ts";
import type { Validator } from "./validator.ts";

export type ListCheck = (value: readonly Json[], path: string, found: Findings, old: Json | undefined) => void;

export function listCheck(node: Structural, items: Validator | undefined): ListCheck | undefined {
  const { minItems, maxItems, uniqueItems } = node.schema;
  if (items === undefined && minItems === undefined && maxItems === undefined && !uniqueItems) return undefined;
  const ratcheting = node.items === undefined || items === undefined ? undefined : ratchet(node.items, items);
  return (value, path, found, old) => {
    if (items !== undefined) {
      const before = oldItems(node, old);
      for (let i = 0; i < value.length; i++) {
        const item = value[i]!;
        const was = before?.(item);
        if (was === undefined) items(item, `${path}[${i}]`, found, undefined);
        else ratcheting!(item, `${path}[${i}]`, found, was);
      }
    }
    const size = value.length;
    if (minItems !== undefined && size < minItems) {
      found.problems.push(problem.invalid(path, size, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && size > maxItems) found.problems.push(problem.tooManyItems(path, size, maxItems));
    if (uniqueItems && hasTwins(value)) found.problems.push(problem.invalid(path, "", "shouldn't contain duplicates"));
  };
}

function hasTwins(items: readonly Json[]): boolean {
  return items.some((item, i) => items.slice(0, i).some((before) => deepEqual(item, before)));
}

/** Lets problems of a value pass that an update did not change. */
export function ratchet(node: Structural, validate: Validator): Validator {
  const closed = isClosed(node);
  return (value, path, found, old) => {
    if (closed && value === old) return;
    const before = found.problems.length;
    validate(value, path, found, old);
    if (found.problems.length > before && old !== undefined && unchanged(node, value, old)) found.problems.length = before;
  };
}
