interface QueuedFlow<K, T> {
  readonly key: K;
  readonly items: T[];
  /** Virtual time at which the next item of the flow starts. */
  start: number;
  /** Whether nothing of the flow was served yet, since it was idle. */
  isNew: boolean;
}

/**
 * A queue that serves flows in turns by what their items cost (start-time fair queuing): the next item is that of the flow which was served
 * least, and a flow that was idle does not save up turns. Its first item comes before those of flows that keep items waiting, so that few items do
 * not wait for one of each of many busy flows.
 */
export class FairQueue<T, K = string> {
  #length = 0;
  /** Virtual time: the start of the item that was served last. */
  #now = 0;
  /** Flows with items, and flows that were served more than their share lately. */
  readonly #flows = new Map<K, QueuedFlow<K, T>>();

  get length(): number {
    return this.#length;
  }

  lengthOf(key: K): number {
    return this.#flows.get(key)?.items.length ?? 0;
  }

  push(key: K, item: T): void {
    const flow = this.#getFlow(key);
    flow.items.push(item);
    this.#length++;
  }

  /** Returns the next item. */
  peek(): T | undefined {
    return this.#selectFlow()?.items[0];
  }

  /** Removes the next item, and adds its cost to what its flow was served. */
  shift(cost: number): T | undefined {
    const flow = this.#selectFlow();
    if (flow === undefined) return undefined;
    this.#now = flow.start;
    this.#length--;
    flow.start += cost;
    flow.isNew = false;
    const item = flow.items.shift();
    this.#prune();
    return item;
  }

  /** Adds a cost that became known after the item was served. */
  charge(key: K, cost: number): void {
    const flow = this.#getFlow(key);
    flow.start += cost;
    flow.isNew = false;
    if (flow.items.length === 0 && flow.start <= this.#now) this.#flows.delete(key);
  }

  /** Returns the last item of the flow with the most items, and how many those are. */
  peekLongest(): { readonly key: K; readonly last: T; readonly length: number } | undefined {
    let longest: QueuedFlow<K, T> | undefined;
    for (const flow of this.#flows.values()) if (longest === undefined || flow.items.length > longest.items.length) longest = flow;
    return longest === undefined || longest.items.length === 0
      ? undefined
      : { key: longest.key, last: longest.items.at(-1) as T, length: longest.items.length };
  }

  delete(key: K, item: T): void {
    const items = this.#flows.get(key)?.items ?? [];
    const index = items.lastIndexOf(item);
    if (index === -1) return;
    items.splice(index, 1);
    this.#length--;
  }

  #getFlow(key: K): QueuedFlow<K, T> {
    let flow = this.#flows.get(key);
    if (flow === undefined) {
      flow = { key, items: [], start: this.#now, isNew: true };
      this.#flows.set(key, flow);
    } else if (flow.items.length === 0 && flow.start < this.#now) flow.start = this.#now;
    return flow;
  }

  #selectFlow(): QueuedFlow<K, T> | undefined {
    if (this.#length === 0) return undefined;
    let next: QueuedFlow<K, T> | undefined;
    for (const flow of this.#flows.values()) {
      if (flow.items.length === 0) continue;
      if (flow.isNew) return flow;
      if (next === undefined || flow.start < next.start) next = flow;
    }
    return next;
  }

  /** Forgets flows without items that owe nothing. */
  #prune(): void {
    for (const [key, flow] of this.#flows) if (flow.items.length === 0 && flow.start <= this.#now) this.#flows.delete(key);
  }
}
