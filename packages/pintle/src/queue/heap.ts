/** A binary heap whose nodes can be taken out from anywhere. */
export interface Heap<T> {
  readonly size: number;
  push(value: T): Node<T>;
  peek(): T | undefined;
  pop(): T | undefined;
  /** Does nothing when the node is no longer in. */
  remove(node: Node<T>): void;
}
export interface Node<T> {
  readonly value: T;
  /** Its place; -1 when it is out. */
  at: number;
}

export function heap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const nodes: Node<T>[] = [];
  const put = (node: Node<T>, at: number) => {
    nodes[at] = node;
    node.at = at;
  };
  const rise = (node: Node<T>, from: number) => {
    let at = from;
    while (at > 0) {
      const parent = nodes[(at - 1) >> 1]!;
      if (!before(node.value, parent.value)) break;
      put(parent, at);
      at = (at - 1) >> 1;
    }
    put(node, at);
  };
  const sink = (node: Node<T>, from: number) => {
    let at = from;
    for (let left = 2 * at + 1; left < nodes.length; left = 2 * at + 1) {
      const right = left + 1;
      const child = right < nodes.length && before(nodes[right]!.value, nodes[left]!.value) ? right : left;
      if (!before(nodes[child]!.value, node.value)) break;
      put(nodes[child]!, at);
      at = child;
    }
    put(node, at);
  };
  const remove = (node: Node<T>) => {
    const at = node.at;
    if (at < 0) return;
    node.at = -1;
    const last = nodes.pop()!;
    if (last === node) return;
    sink(last, at);
    if (last.at === at) rise(last, at);
  };
  return {
    get size() {
      return nodes.length;
    },
    push(value) {
      const node = { value, at: -1 };
      nodes.push(node);
      rise(node, nodes.length - 1);
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
