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
import { follow } from "./operator.ts";

/** Lists everything of one kind, says what that took, then which markers it sees, and stays until its input ends. */
export async function keep(config: KubeConfig, of: "pods" | "workers"): Promise<void> {
  const before = heap();
  const started = performance.now();
  const objects = of === "pods" ? podsOf(config) : workersOf(config);
  objects.on("add", see);
  objects.on("update", see);
  await follow(objects);
  const milliseconds = performance.now() - started;
  const heapBytes = heap() - before;
  console.log(JSON.stringify({ objects: objects.list().length, milliseconds, heapBytes }));
  process.stdin.on("end", () => process.exit()).resume();
}

type Kept = Informer<KubernetesObject> & ObjectCache<KubernetesObject>;

function podsOf(config: KubeConfig): Kept {
  const core = config.makeApiClient(CoreV1Api);
  return makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces()) as Kept;
}

function workersOf(config: KubeConfig): Kept {
  const custom = config.makeApiClient(CustomObjectsApi);
  const place = { group: "bench.example.com", version: "v1", plural: "workers" };
  return makeInformer(config, "/apis/bench.example.com/v1/workers", () => {
    return custom.listClusterCustomObject(place) as Promise<KubernetesListObject<KubernetesObject>>;
  });
}

function see({ metadata }: KubernetesObject): void {
  if (!metadata?.name?.startsWith("marker-")) return;
  process.stdout.write(`seen ${metadata.name} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
}

function heap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
