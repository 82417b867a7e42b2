import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { deploymentFor, GROUP, LABEL, type Memcached, PLURAL, statusFor, VERSION } from "./memcached.ts";
import { createWorkQueue } from "./work-queue.ts";

const resource = { group: GROUP, version: VERSION, plural: PLURAL };

/** Watches three kinds with informers, reads from their caches, and reconciles ten objects at a time; only a new generation of a Memcached is enqueued. */
export async function runOperator(config: KubeConfig): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const apps = config.makeApiClient(AppsV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const memcacheds = makeInformer<Memcached>(
    config,
    `/apis/${GROUP}/${VERSION}/${PLURAL}`,
    () => custom.listClusterCustomObject(resource) as Promise<KubernetesListObject<Memcached>>,
  );
  const deployments = makeInformer(config, "/apis/apps/v1/deployments", () => apps.listDeploymentForAllNamespaces());
  const pods = makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces({ labelSelector: LABEL }), LABEL);
  const nodesOf = new Map<string, Set<string>>();

  const enqueue = createWorkQueue(10, async (key) => {
    const [namespace = "", name = ""] = key.split("/");
    const memcached = memcacheds.get(name, namespace);
    if (memcached === undefined) return;
    const { generation = 0 } = memcached.metadata ?? {};
    // The latency benchmark reads when a change reaches the reconciler.
    if (generation > 1) process.stdout.write(`${name} ${generation} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
    const desired = deploymentFor(memcached);
    const found = deployments.get(name, namespace);
    let ready = found?.status?.readyReplicas ?? 0;
    if (found === undefined) {
      console.error(`creating Deployment ${key}`);
      const created = await apps.createNamespacedDeployment({ namespace, body: desired });
      ready = created.status?.readyReplicas ?? 0;
    } else if (found.spec?.replicas !== memcached.spec.size) {
      const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
      await apps.patchNamespacedDeployment({ namespace, name, body: { spec: { replicas: memcached.spec.size } } }, merge);
    }
    const status = statusFor(memcached, ready, [...(nodesOf.get(key) ?? [])].sort());
    if (status === undefined) return;
    const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await custom.patchNamespacedCustomObjectStatus({ ...resource, namespace, name, body: { status } }, merge);
  });

  const generations = new Map<string, number>();
  const onMemcached = (object: KubernetesObject) => {
    const key = keyOf(object, object.metadata?.name);
    const { generation = 0 } = object.metadata ?? {};
    if (generations.get(key) === generation) return;
    generations.set(key, generation);
    enqueue(key);
  };
  memcacheds.on("add", onMemcached);
  memcacheds.on("update", onMemcached);
  memcacheds.on("delete", (object) => void generations.delete(keyOf(object, object.metadata?.name)));
  const onDeployment = (object: KubernetesObject) => {
    const owner = object.metadata?.ownerReferences?.find((each) => each.controller === true && each.kind === "Memcached");
    if (owner !== undefined) enqueue(keyOf(object, owner.name));
  };
  for (const event of ["add", "update", "delete"] as const) deployments.on(event as "add", onDeployment);
  const onPod = (exists: boolean) => (object: KubernetesObject) => {
    const key = keyOf(object, object.metadata?.labels?.[LABEL]);
    const nodes = nodesOf.get(key) ?? new Set();
    if (exists) nodes.add(object.metadata?.name ?? "");
    else nodes.delete(object.metadata?.name ?? "");
    nodesOf.set(key, nodes);
    enqueue(key);
  };
  pods.on("add", onPod(true));
  pods.on("delete", onPod(false));
  for (const informer of [pods, deployments, memcacheds]) await startInformer(informer as Informer<KubernetesObject>);
}

function keyOf(object: KubernetesObject, name: string | undefined): string {
  return `${object.metadata?.namespace}/${name}`;
}

/** An informer stops at any error; its documentation says to restart it. */
export async function startInformer(informer: Informer<KubernetesObject>): Promise<void> {
  informer.on("error", (error: unknown) => {
    console.error(`informer: ${String(error)}`);
    setTimeout(() => void informer.start().catch(() => {}), 1000);
  });
  await informer.start();
}
