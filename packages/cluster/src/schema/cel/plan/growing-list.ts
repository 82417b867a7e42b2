import { ListValue, type Value } from "../values/value.ts";

/**
 * What macros collect into: appending to the newest list reuses its storage, so that building one of n items takes n
 * steps. Older lists stay what they are.
 */
export class GrowingList extends ListValue {
  readonly #items: Value[];
  readonly size: number;

  constructor(items: Value[] = [], size = items.length) {
    super();
    this.#items = items;
    this.size = size;
  }

  at(index: number): Value {
    return this.#items[index]!;
  }

  override concat(other: ListValue): GrowingList {
    const items = this.#items.length === this.size ? this.#items : this.#items.slice(0, this.size);
    for (const item of other.values()) items.push(item);
    return new GrowingList(items);
  }
}
