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
import { workQueue } from "./work-queue.ts";

const place = { group: GROUP, version: VERSION, plural: PLURAL };

/** Informers for the three kinds, reads from them, ten objects at a time; only new generations of a Memcached wake it. */
export async function operate(config: KubeConfig): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const apps = config.makeApiClient(AppsV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const memcacheds = makeInformer<Memcached>(
    config,
    `/apis/${GROUP}/${VERSION}/${PLURAL}`,
    () => custom.listClusterCustomObject(place) as Promise<KubernetesListObject<Memcached>>,
  );
  const deployments = makeInformer(config, "/apis/apps/v1/deployments", () => apps.listDeploymentForAllNamespaces());
  const pods = makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces({ labelSelector: LABEL }), LABEL);
  const nodesOf = new Map<string, Set<string>>();

  const wake = workQueue(10, async (key) => {
    const [namespace = "", name = ""] = key.split("/");
    const memcached = memcacheds.get(name, namespace);
    if (memcached === undefined) return;
    const { generation = 0 } = memcached.metadata ?? {};
    // The benchmark changes objects, and asks when that was noticed.
    if (generation > 1) process.stdout.write(`${name} ${generation} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
    const wanted = deploymentFor(memcached);
    const found = deployments.get(name, namespace);
    let ready = found?.status?.readyReplicas ?? 0;
    if (found === undefined) {
      console.error(`creating Deployment ${key}`);
      const created = await apps.createNamespacedDeployment({ namespace, body: wanted });
      ready = created.status?.readyReplicas ?? 0;
    } else if (found.spec?.replicas !== memcached.spec.size) {
      const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
      await apps.patchNamespacedDeployment({ namespace, name, body: { spec: { replicas: memcached.spec.size } } }, merge);
    }
    const status = statusFor(memcached, ready, [...(nodesOf.get(key) ?? [])].sort());
    if (status === undefined) return;
    const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await custom.patchNamespacedCustomObjectStatus({ ...place, namespace, name, body: { status } }, merge);
  });

  const generations = new Map<string, number>();
  const ofMemcached = (object: KubernetesObject) => {
    const key = keyOf(object, object.metadata?.name);
    const { generation = 0 } = object.metadata ?? {};
    if (generations.get(key) === generation) return;
    generations.set(key, generation);
    wake(key);
  };
  memcacheds.on("add", ofMemcached);
  memcacheds.on("update", ofMemcached);
  memcacheds.on("delete", (object) => void generations.delete(keyOf(object, object.metadata?.name)));
  const ofDeployment = (object: KubernetesObject) => {
    const owner = object.metadata?.ownerReferences?.find((each) => each.controller === true && each.kind === "Memcached");
    if (owner !== undefined) wake(keyOf(object, owner.name));
  };
  for (const event of ["add", "update", "delete"] as const) deployments.on(event as "add", ofDeployment);
  const ofPod = (isThere: boolean) => (object: KubernetesObject) => {
    const key = keyOf(object, object.metadata?.labels?.[LABEL]);
    const nodes = nodesOf.get(key) ?? new Set();
    if (isThere) nodes.add(object.metadata?.name ?? "");
    else nodes.delete(object.metadata?.name ?? "");
    nodesOf.set(key, nodes);
    wake(key);
  };
  pods.on("add", ofPod(true));
  pods.on("delete", ofPod(false));
  for (const informer of [pods, deployments, memcacheds]) await follow(informer as Informer<KubernetesObject>);
}

function keyOf(object: KubernetesObject, name: string | undefined): string {
  return `${object.metadata?.namespace}/${name}`;
}

/** An informer stops at any error: its documentation says to start it again. */
export async function follow(informer: Informer<KubernetesObject>): Promise<void> {
  informer.on("error", (error: unknown) => {
    console.error(`informer: ${String(error)}`);
    setTimeout(() => void informer.start().catch(() => {}), 1000);
  });
  await informer.start();
}
