import { isJsonObject, type JsonObject } from "pintle/internal/json";

/** The kinds whose pods are replaced when their template changes. */
export const WORKLOAD_KINDS: readonly string[] = ["Deployment", "StatefulSet", "DaemonSet"];

/** Selects the workloads of a list of objects. */
export function listWorkloads(objects: readonly JsonObject[]): JsonObject[] {
  return objects.filter(({ apiVersion, kind }) => apiVersion === "apps/v1" && WORKLOAD_KINDS.includes(String(kind)));
}

/** The images of the containers of all workloads, each once, sorted. */
export function listWorkloadImages(objects: readonly JsonObject[]): string[] {
  const images = listWorkloads(objects).flatMap((workload) => {
    const pod = readPath(workload, ["spec", "template", "spec"]);
    const lists = [pod?.["initContainers"], pod?.["containers"]];
    return lists.flatMap((list) => (Array.isArray(list) ? (list as readonly JsonObject[]) : [])).map(({ image }) => image);
  });
  return [...new Set(images.filter((image) => typeof image === "string"))].sort();
}

function readPath(value: JsonObject, path: readonly string[]): JsonObject | undefined {
  let current: JsonObject | undefined = value;
  for (const name of path) {
    const next: unknown = current?.[name];
    current = isJsonObject(next as never) ? (next as JsonObject) : undefined;
  }
  return current;
}
