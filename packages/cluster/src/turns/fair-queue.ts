interface QueuedItem<T> {
  readonly item: T;
  /** What serving it is expected to cost. */
  readonly cost: number;
}

interface QueuedFlow<K, T> {
  readonly key: K;
  readonly items: QueuedItem<T>[];
  /** Virtual time at which the next item of the flow starts. */
  start: number;
  /** Whether nothing of the flow was served yet, since it was idle. */
  isNew: boolean;
}

const MIN_PRUNED_FLOWS = 64;

/**
 * A queue that serves flows in turns by what their items cost (weighted fair queuing): the next item is the one that would be finished first if all
 * flows were served at the same time. A flow that was idle does not save up turns. Among items that would be finished together, those of flows that
 * were idle come first, so that few items do not wait for one of each of many busy flows.
 */
export class FairQueue<T, K = string> {
  #length = 0;
  /** Virtual time: the latest start of an item that was served. */
  #now = 0;
  /** Flows with items, and flows that were served more than their share lately. */
  readonly #flows = new Map<K, QueuedFlow<K, T>>();
  #pruneAt = MIN_PRUNED_FLOWS;

  get length(): number {
    return this.#length;
  }

  lengthOf(key: K): number {
    return this.#flows.get(key)?.items.length ?? 0;
  }

  push(key: K, item: T, cost = 1): void {
    const flow = this.#getFlow(key);
    flow.items.push({ item, cost });
    this.#length++;
  }

  /** Returns the next item. */
  peek(): T | undefined {
    return this.#selectFlow()?.items[0]?.item;
  }

  /** Removes the next item, and adds its cost to what its flow was served. */
  shift(cost: number): T | undefined {
    const flow = this.#selectFlow();
    if (flow === undefined) return undefined;
    this.#now = Math.max(this.#now, flow.start);
    this.#length--;
    flow.start += cost;
    flow.isNew = false;
    const next = flow.items.shift();
    this.#prune();
    return next?.item;
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
    const last = longest?.items.at(-1);
    return longest === undefined || last === undefined ? undefined : { key: longest.key, last: last.item, length: longest.items.length };
  }

  delete(key: K, item: T): void {
    const items = this.#flows.get(key)?.items ?? [];
    const index = items.findLastIndex((each) => each.item === item);
    if (index === -1) return;
    items.splice(index, 1);
    this.#length--;
  }

  #getFlow(key: K): QueuedFlow<K, T> {
    let flow = this.#flows.get(key);
    if (flow === undefined) {
      flow = { key, items: [], start: this.#now, isNew: true };
      this.#flows.set(key, flow);
    } else if (flow.items.length === 0 && flow.start <= this.#now) {
      flow.start = this.#now;
      flow.isNew = true;
    }
    return flow;
  }

  #selectFlow(): QueuedFlow<K, T> | undefined {
    if (this.#length === 0) return undefined;
    let next: QueuedFlow<K, T> | undefined;
    let nextFinish = Number.POSITIVE_INFINITY;
    for (const flow of this.#flows.values()) {
      const first = flow.items[0];
      if (first === undefined) continue;
      const finish = flow.start + first.cost;
      if (next !== undefined && (finish > nextFinish || (finish === nextFinish && (next.isNew || !flow.isNew)))) continue;
      next = flow;
      nextFinish = finish;
    }
    return next;
  }

  /** Forgets flows without items that owe nothing, whenever the flows have become twice as many. */
  #prune(): void {
    if (this.#flows.size < this.#pruneAt) return;
    for (const [key, flow] of this.#flows) if (flow.items.length === 0 && flow.start <= this.#now) this.#flows.delete(key);
    this.#pruneAt = Math.max(MIN_PRUNED_FLOWS, 2 * this.#flows.size);
  }
}
