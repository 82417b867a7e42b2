/**
 * The built-in kinds of Kubernetes 1.36 as the API server serves them. In come the tables of `generated`, made from a
 * real server and its sources; out go ServedResource values: decoding as Go's structs do it, defaults, validation,
 * strategies, table columns. Nothing is compiled before it is used.
 */
import type { ServedResource } from "../api/index.ts";
import { resourcesFrom } from "./resources.ts";

export function builtinResources(): readonly ServedResource[] {
  return resourcesFrom(() => ({}));
}
