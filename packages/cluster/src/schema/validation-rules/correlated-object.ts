import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { findFieldSchema, type StructuralSchema } from "../structural/structural-schema.ts";
import { createOldItemLookup, isUnchanged } from "../validation/ratcheting.ts";

interface CorrelatedValues {
  readonly node: StructuralSchema;
  readonly value: Json;
  readonly old: Json;
}

/**
 * A value correlated with its old value in an update. If a nested value has no old counterpart, the nearest ancestor
 * that has one decides whether it changed.
 */
export class CorrelatedObject {
  static readonly none = new CorrelatedObject(undefined, undefined);
  readonly #current: CorrelatedValues | undefined;
  readonly #parent: CorrelatedValues | undefined;

  private constructor(current: CorrelatedValues | undefined, parent: CorrelatedValues | undefined) {
    this.#current = current;
    this.#parent = parent;
  }

  static create(node: StructuralSchema, value: Json, old: Json): CorrelatedObject {
    return new CorrelatedObject({ node, value, old }, undefined);
  }

  /** True if validation ratcheting applies to the value. */
  get isUnchanged(): boolean {
    const pair = this.#current ?? this.#parent;
    return pair !== undefined && isUnchanged(pair.node, pair.value, pair.old);
  }

  key(name: string): CorrelatedObject {
    const at = this.#current;
    if (at === undefined) return this;
    // Conversion may have set apiVersion and kind, so they are not correlated.
    if (this.#parent === undefined && (name === "apiVersion" || name === "kind")) return CorrelatedObject.none;
    const node = findFieldSchema(at.node, name);
    const [value, old] = [getOwnField(at.value, name), getOwnField(at.old, name)];
    const child = node === undefined || value === undefined || old === undefined ? undefined : { node, value, old };
    return new CorrelatedObject(child, at);
  }

  index(i: number): CorrelatedObject {
    const at = this.#current;
    if (at === undefined) return this;
    const value = Array.isArray(at.value) ? at.value[i] : undefined;
    const old = value === undefined ? undefined : createOldItemLookup(at.node, at.old)?.(value);
    const node = at.node.items;
    return new CorrelatedObject(node === undefined || old === undefined ? undefined : { node, value: value!, old }, at);
  }
}

function getOwnField(value: Json, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
