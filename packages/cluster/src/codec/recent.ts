/** Remembers what was made of objects lately, up to a total size: what was not needed for long is forgotten. */
export function recent<V>(limit: number, sizeOf: (made: V) => number): (object: object, make: () => V) => V {
  let young = new Map<object, V>();
  let old = new Map<object, V>();
  let size = 0;
  return (object, make) => {
    const known = young.get(object);
    if (known !== undefined) return known;
    const made = old.get(object) ?? make();
    young.set(object, made);
    size += sizeOf(made);
    if (size > limit / 2) {
      old = young;
      young = new Map();
      size = 0;
    }
    return made;
  };
}
