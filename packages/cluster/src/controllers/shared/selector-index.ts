import type { CachedView, StoredObject } from "pintle/internal/cache";
import { memoize } from "pintle/internal/memoize";
import { compileLabelSelector } from "pintle/internal/selectors";
import type { LabelSelector } from "pintle/kinds";

/** Returns the objects in a namespace whose selector matches the labels. */
export type SelectorLookup<S> = (labels: Readonly<Record<string, string>> | undefined, namespace: string | undefined) => readonly S[];

const ANY_LABEL = "*";

type IndexFunction<S> = (object: S) => readonly string[];
/** One index function per `getSelector`: callers with the same one share the index. */
const getIndexFunction = memoize(
  (getSelector: (object: any) => LabelSelector | undefined): IndexFunction<StoredObject> =>
    (object) =>
      getIndexKeys(object, getSelector(object)),
);

/** Indexes objects by one label of their selector, so that the matching ones are found without evaluating every selector. */
export function indexBySelector<S extends StoredObject>(
  view: CachedView<S>,
  index: string,
  getSelector: (object: S) => LabelSelector | undefined,
): SelectorLookup<S> {
  view.addIndex(index, getIndexFunction(getSelector));
  return (labels = {}, namespace) => {
    const found: S[] = [];
    for (const [name, value] of Object.entries(labels)) found.push(...view.byIndex(index, `${namespace}/${name}=${value}`));
    found.push(...view.byIndex(index, `${namespace}/${ANY_LABEL}`));
    return found.filter((object) => compileLabelSelector(getSelector(object)!).matches(labels));
  };
}

function getIndexKeys({ metadata }: StoredObject, selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined) return [];
  const [first] = Object.entries(selector.matchLabels ?? {});
  return [`${metadata.namespace}/${first === undefined ? ANY_LABEL : `${first[0]}=${first[1]}`}`];
}
