import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../api/index.ts";
import type { Store } from "../store/index.ts";

/** The objects of a few resources, as they are at any time. */
export interface Followed {
  /** Sorted by name; the same value as long as nothing changed. */
  of(plural: string): readonly JsonObject[];
  stop(): void;
}

/** Follows cluster-scoped resources that are few and read with every request. */
export async function follow(store: Store, plurals: readonly string[], changed: () => void): Promise<Followed> {
  const known = new Map<string, readonly JsonObject[]>();
  const stops: (() => void)[] = [];
  for (const plural of plurals) {
    const prefix = `/registry/${plural}/`;
    const { entries, revision } = await store.range(prefix);
    known.set(plural, entries.map(({ value }) => value).sort(byName));
    stops.push(
      await store.watch(prefix, revision, ({ type, value }) => {
        const { name } = metadataOf(value);
        const others = known.get(plural)!.filter((each) => metadataOf(each).name !== name);
        known.set(plural, type === "put" ? [...others, value].sort(byName) : others);
        changed();
      }),
    );
  }
  return {
    of: (plural) => known.get(plural)!,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function byName(a: JsonObject, b: JsonObject): number {
  return (metadataOf(a).name ?? "") < (metadataOf(b).name ?? "") ? -1 : 1;
}
