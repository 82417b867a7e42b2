import type { Metadata } from "pintle/kinds";

/** Returns the queue key of a namespaced object: "namespace/name". */
export const getObjectKey = ({ metadata }: { readonly metadata: Pick<Metadata, "name" | "namespace"> }) =>
  `${metadata.namespace}/${metadata.name}`;

/** Splits a queue key. */
export function splitObjectKey(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
