import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
} from "@kubernetes/client-node";
import { startInformer } from "./operator.ts";

/** Fills a cache with all objects of a kind, prints the cost, then prints each marker it sees until stdin is closed. */
export async function runCache(config: KubeConfig, kind: "pods" | "workers"): Promise<void> {
  const before = measureHeap();
  const started = performance.now();
  const objects = kind === "pods" ? createPodInformer(config) : createWorkerInformer(config);
  objects.on("add", printMarker);
  objects.on("update", printMarker);
  await startInformer(objects);
  const milliseconds = performance.now() - started;
  const heapBytes = measureHeap() - before;
  console.log(JSON.stringify({ objects: objects.list().length, milliseconds, heapBytes }));
  process.stdin.on("end", () => process.exit()).resume();
}

type CachingInformer = Informer<KubernetesObject> & ObjectCache<KubernetesObject>;

function createPodInformer(config: KubeConfig): CachingInformer {
  const core = config.makeApiClient(CoreV1Api);
  return makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces()) as CachingInformer;
}

function createWorkerInformer(config: KubeConfig): CachingInformer {
  const custom = config.makeApiClient(CustomObjectsApi);
  const resource = { group: "bench.example.com", version: "v1", plural: "workers" };
  return makeInformer(config, "/apis/bench.example.com/v1/workers", () => {
    return custom.listClusterCustomObject(resource) as Promise<KubernetesListObject<KubernetesObject>>;
  });
}

function printMarker({ metadata }: KubernetesObject): void {
  if (!metadata?.name?.startsWith("marker-")) return;
  process.stdout.write(`seen ${metadata.name} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
}

function measureHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
