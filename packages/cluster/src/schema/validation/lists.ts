import type { Json } from "pintle/kinds";
import type { StructuralSchema } from "../structural/structural-schema.ts";
import { deepEqual } from "./deep-equal.ts";
import { createOldItemLookup, isFullySpecified, isUnchanged } from "./ratcheting.ts";
import { type ValidationResult, violation } from "./validation-result.ts";
import type { SchemaValidator } from "./validator.ts";

export type ListCheck = (value: readonly Json[], path: string, found: ValidationResult, old: Json | undefined) => void;

export function compileListCheck(node: StructuralSchema, items: SchemaValidator | undefined): ListCheck | undefined {
  const { minItems, maxItems, uniqueItems } = node.schema;
  if (items === undefined && minItems === undefined && maxItems === undefined && !uniqueItems) return undefined;
  const ratcheting = node.items === undefined || items === undefined ? undefined : createRatchetingValidator(node.items, items);
  return (value, path, found, old) => {
    if (items !== undefined) {
      const before = createOldItemLookup(node, old);
      for (let i = 0; i < value.length; i++) {
        const item = value[i]!;
        const was = before?.(item);
        if (was === undefined) items(item, `${path}[${i}]`, found, undefined);
        else ratcheting!(item, `${path}[${i}]`, found, was);
      }
    }
    const size = value.length;
    if (minItems !== undefined && size < minItems) {
      found.violations.push(violation.invalid(path, size, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && size > maxItems) found.violations.push(violation.tooManyItems(path, size, maxItems));
    if (uniqueItems && hasDuplicates(value)) found.violations.push(violation.invalid(path, "", "shouldn't contain duplicates"));
  };
}

function hasDuplicates(items: readonly Json[]): boolean {
  return items.some((item, i) => items.slice(0, i).some((before) => deepEqual(item, before)));
}

/** Creates a validator that ignores the violations of an unchanged value (validation ratcheting). */
export function createRatchetingValidator(node: StructuralSchema, validate: SchemaValidator): SchemaValidator {
  const closed = isFullySpecified(node);
  return (value, path, found, old) => {
    if (closed && value === old) return;
    const before = found.violations.length;
    validate(value, path, found, old);
    if (found.violations.length > before && old !== undefined && isUnchanged(node, value, old)) found.violations.length = before;
  };
}
