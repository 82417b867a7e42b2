import type { KindFacts } from "../kinds/index.ts";

/** Of every label, annotation and finalizer that the framework itself writes. */
export const PREFIX = "pintle.dev";
/** "<controller> <intent> [<effect>]": what was applied last, and what the server made of it. */
export const RECEIPT = `${PREFIX}/applied`;
/** The uid of the owner of a child that cannot carry an owner reference. */
export const OWNER_LABEL = `${PREFIX}/owner`;
/** "namespace/name" of that owner, for people. */
export const OWNER_NAME = `${PREFIX}/owned-by`;
/** "true" on an object: it is left alone, until the annotation goes. Deletion is still finalized. */
export const PAUSED = `${PREFIX}/paused`;

export interface Located {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** "namespace/name", or "name" for what has no namespace. */
export function located({ namespace, name }: Located): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** "Deployment default/web" */
export function subject(kind: KindFacts, at: Located): string {
  return `${kind.kind} ${located(at)}`;
}

/** The queue's key of an object, and back. */
export const keyOf = located;
export function placeOf(key: string): Located {
  const at = key.indexOf("/");
  return at < 0 ? { name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
