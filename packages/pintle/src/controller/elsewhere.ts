import type { KindFacts } from "../kinds/index.ts";

const marked = new WeakSet<object>();

/**
 * A kind whose objects this controller also makes in other namespaces than the primary's. Owner references do not reach
 * there, so such children are labelled instead, and a finalizer on the primary sees to their deletion.
 */
export function elsewhere<K extends KindFacts>(kind: K): K {
  const derived = Object.freeze(Object.create(kind)) as K;
  marked.add(derived);
  return derived;
}

export function isElsewhere(kind: KindFacts): boolean {
  return marked.has(kind);
}
