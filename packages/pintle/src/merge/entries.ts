import type { FieldSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/**
 * The entries of a set in the making, in order. Objects of a kind mostly have the same fields, so whoever adds the same
 * entries to the same beginning gets the same set, frozen: it is made once, and kept once however many objects have it.
 */
export class Entries {
  readonly #before: Entries | undefined;
  readonly #element: PathElement;
  readonly #entry: FieldSet | undefined;
  #after: Map<PathElement, Map<FieldSet, Entries>> | undefined;
  #set: FieldSet | undefined;

  constructor(before?: Entries, element: PathElement = "", entry?: FieldSet) {
    this.#before = before;
    this.#element = element;
    this.#entry = entry;
  }

  with(element: PathElement, entry: FieldSet): Entries {
    this.#after ??= new Map();
    let known = this.#after.get(element);
    if (known === undefined) {
      known = new Map();
      this.#after.set(element, known);
    }
    let next = known.get(entry);
    if (next === undefined) {
      next = new Entries(this, element, entry);
      known.set(entry, next);
      remembered++;
    }
    return next;
  }

  set(): FieldSet {
    this.#set ??= Object.freeze(Object.fromEntries(this.#path()));
    return this.#set;
  }

  #path(): [PathElement, FieldSet][] {
    const path: [PathElement, FieldSet][] = [];
    for (let at: Entries = this; at.#before !== undefined; at = at.#before) path.push([at.#element, at.#entry as FieldSet]);
    return path.reverse();
  }
}

/** So many beginnings are remembered; then remembering starts anew. */
const MAX_REMEMBERED = 20_000;
let remembered = 0;
let none = new Entries();

/** No entries yet. */
export function entries(): Entries {
  if (remembered > MAX_REMEMBERED) {
    remembered = 0;
    none = new Entries();
  }
  return none;
}
