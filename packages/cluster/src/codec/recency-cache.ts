/** Creates a cache by object identity that is bounded by total size; entries not used recently are evicted. */
export function createRecencyCache<V>(limit: number, sizeOf: (value: V) => number): (object: object, make: () => V) => V {
  let recent = new Map<object, V>();
  let previous = new Map<object, V>();
  let size = 0;
  return (object, make) => {
    const known = recent.get(object);
    if (known !== undefined) return known;
    const value = previous.get(object) ?? make();
    recent.set(object, value);
    size += sizeOf(value);
    if (size > limit / 2) {
      previous = recent;
      recent = new Map();
      size = 0;
    }
    return value;
  };
}
