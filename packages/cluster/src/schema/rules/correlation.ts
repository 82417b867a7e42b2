import { isObject, type Json } from "pintle/kinds";
import { fieldOf, type Structural } from "../structural.ts";
import { oldItems, unchanged } from "../validate/ratchet.ts";

interface Pair {
  readonly node: Structural;
  readonly value: Json;
  readonly old: Json;
}

/**
 * Follows a value and what it was before an update. Where a part has no old counterpart, the nearest one above that has
 * decides whether anything changed.
 */
export class Correlation {
  static readonly none = new Correlation(undefined, undefined);
  readonly #current: Pair | undefined;
  readonly #parent: Pair | undefined;

  private constructor(current: Pair | undefined, parent: Pair | undefined) {
    this.#current = current;
    this.#parent = parent;
  }

  static of(node: Structural, value: Json, old: Json): Correlation {
    return new Correlation({ node, value, old }, undefined);
  }

  /** Errors in what did not change are let pass. */
  get isUnchanged(): boolean {
    const pair = this.#current ?? this.#parent;
    return pair !== undefined && unchanged(pair.node, pair.value, pair.old);
  }

  key(name: string): Correlation {
    const at = this.#current;
    if (at === undefined) return this;
    // A conversion may have put apiVersion and kind there: whether they changed says nothing.
    if (this.#parent === undefined && (name === "apiVersion" || name === "kind")) return Correlation.none;
    const node = fieldOf(at.node, name);
    const [value, old] = [own(at.value, name), own(at.old, name)];
    const child = node === undefined || value === undefined || old === undefined ? undefined : { node, value, old };
    return new Correlation(child, at);
  }

  index(i: number): Correlation {
    const at = this.#current;
    if (at === undefined) return this;
    const value = Array.isArray(at.value) ? at.value[i] : undefined;
    const old = value === undefined ? undefined : oldItems(at.node, at.old)?.(value);
    const node = at.node.items;
    return new Correlation(node === undefined || old === undefined ? undefined : { node, value: value!, old }, at);
  }
}

function own(value: Json, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
