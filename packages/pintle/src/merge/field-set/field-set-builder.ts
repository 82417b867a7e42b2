import type { FieldSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/**
 * A persistent builder of field sets, as a trie of entries in order. Objects of a kind mostly have the same fields: adding the same entries
 * to the same builder gives the same builder and the same frozen set, so equal sets exist once for all objects.
 */
export class FieldSetBuilder {
  readonly #before: FieldSetBuilder | undefined;
  readonly #element: PathElement;
  readonly #entry: FieldSet | undefined;
  readonly #length: number;
  #after: Map<PathElement, Map<FieldSet, FieldSetBuilder>> | undefined;
  #set: FieldSet | undefined;

  constructor(before?: FieldSetBuilder, element: PathElement = "", entry?: FieldSet) {
    this.#before = before;
    this.#element = element;
    this.#entry = entry;
    this.#length = before === undefined ? 0 : before.#length + 1;
  }

  with(element: PathElement, entry: FieldSet): FieldSetBuilder {
    if (this.#length >= MAX_INTERNED_LENGTH) return new FieldSetBuilder(this, element, entry);
    this.#after ??= new Map();
    let known = this.#after.get(element);
    if (known === undefined) {
      known = new Map();
      this.#after.set(element, known);
    }
    let next = known.get(entry);
    if (next === undefined) {
      next = new FieldSetBuilder(this, element, entry);
      known.set(entry, next);
      internedBytes += BUILDER_BYTES + element.length;
    }
    return next;
  }

  build(): FieldSet {
    this.#set ??= Object.freeze(Object.fromEntries(this.#path()));
    return this.#set;
  }

  #path(): [PathElement, FieldSet][] {
    const path: [PathElement, FieldSet][] = [];
    for (let at: FieldSetBuilder = this; at.#before !== undefined; at = at.#before) path.push([at.#element, at.#entry as FieldSet]);
    return path.reverse();
  }
}

/** Longer sets are those of one object: looking for an equal one takes more time than it saves. */
const MAX_INTERNED_LENGTH = 256;
/** What a builder takes beside the text of its element. */
const BUILDER_BYTES = 256;
/** The bytes of builders that are interned before the trie is dropped. Elements are as long as clients make them. */
const MAX_INTERNED_BYTES = 6 * 1024 * 1024;
let internedBytes = 0;
let emptyBuilder = new FieldSetBuilder();

/** Returns the builder without entries. */
export function fieldSetBuilder(): FieldSetBuilder {
  if (internedBytes > MAX_INTERNED_BYTES) {
    internedBytes = 0;
    emptyBuilder = new FieldSetBuilder();
  }
  return emptyBuilder;
}
