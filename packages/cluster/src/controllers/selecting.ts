import { type LabelSelector, labelSelector, type Stored, type View } from "pintle/cache";

/** Which objects choose another one by its labels, within its namespace. */
export type Selecting<S> = (labels: Readonly<Record<string, string>> | undefined, namespace: string | undefined) => readonly S[];

const ANY = "*";

type Keys<S> = (object: S) => readonly string[];
/** One function per selector: an index is shared by all who ask for it with the same one. */
const known = new WeakMap<object, Keys<any>>();

/**
 * Finds, for the labels of an object, everything whose selector chooses it, without looking at all of them: selectors are
 * filed under one of the labels they ask for.
 */
export function selecting<S extends Stored>(
  view: View<S>,
  index: string,
  selectorOf: (object: S) => LabelSelector | undefined,
): Selecting<S> {
  const keys: Keys<S> = known.get(selectorOf) ?? ((object) => filedUnder(object, selectorOf(object)));
  known.set(selectorOf, keys);
  view.index(index, keys);
  return (labels = {}, namespace) => {
    const found: S[] = [];
    for (const [name, value] of Object.entries(labels)) found.push(...view.by(index, `${namespace}/${name}=${value}`));
    found.push(...view.by(index, `${namespace}/${ANY}`));
    return found.filter((object) => labelSelector(selectorOf(object)!).matches(labels));
  };
}

function filedUnder({ metadata }: Stored, selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined) return [];
  const [first] = Object.entries(selector.matchLabels ?? {});
  return [`${metadata.namespace}/${first === undefined ? ANY : `${first[0]}=${first[1]}`}`];
}
