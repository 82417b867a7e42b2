/** First come, first served. Unlike an array's own `shift`, what is taken costs the same however many wait. */
export interface Line<T> {
  readonly size: number;
  push(item: T): void;
  shift(): T | undefined;
}

const BLOCK = 1024;

export function line<T>(): Line<T> {
  let items: (T | undefined)[] = [];
  let first = 0;
  return {
    get size() {
      return items.length - first;
    },
    push(item) {
      items.push(item);
    },
    shift() {
      if (first === items.length) return undefined;
      const item = items[first];
      items[first++] = undefined;
      if (first === items.length || (first >= BLOCK && 2 * first > items.length)) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
