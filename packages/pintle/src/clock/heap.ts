/** A binary heap whose nodes can be removed from any position. */
export interface Heap<T> {
  readonly size: number;
  push(value: T): HeapNode<T>;
  peek(): T | undefined;
  pop(): T | undefined;
  /** Does nothing when the node was already removed. */
  remove(node: HeapNode<T>): void;
}
export interface HeapNode<T> {
  readonly value: T;
  /** Its position in the heap; -1 when it was removed. */
  index: number;
}

/** Returns an empty heap; `before` returns whether `a` is taken before `b`. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const nodes: HeapNode<T>[] = [];
  const setAt = (node: HeapNode<T>, at: number) => {
    nodes[at] = node;
    node.index = at;
  };
  const siftUp = (node: HeapNode<T>, from: number) => {
    let at = from;
    while (at > 0) {
      const parent = nodes[(at - 1) >> 1]!;
      if (!before(node.value, parent.value)) break;
      setAt(parent, at);
      at = (at - 1) >> 1;
    }
    setAt(node, at);
  };
  const siftDown = (node: HeapNode<T>, from: number) => {
    let at = from;
    for (let left = 2 * at + 1; left < nodes.length; left = 2 * at + 1) {
      const right = left + 1;
      const child = right < nodes.length && before(nodes[right]!.value, nodes[left]!.value) ? right : left;
      if (!before(nodes[child]!.value, node.value)) break;
      setAt(nodes[child]!, at);
      at = child;
    }
    setAt(node, at);
  };
  const remove = (node: HeapNode<T>) => {
    const at = node.index;
    if (at < 0) return;
    node.index = -1;
    const last = nodes.pop()!;
    if (last === node) return;
    siftDown(last, at);
    if (last.index === at) siftUp(last, at);
  };
  return {
    get size() {
      return nodes.length;
    },
    push(value) {
      const node = { value, index: -1 };
      nodes.push(node);
      siftUp(node, nodes.length - 1);
      return node;
    },
    peek: () => nodes[0]?.value,
    pop() {
      const first = nodes[0];
      if (first !== undefined) remove(first);
      return first?.value;
    },
    remove,
  };
}
