import {
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
} from "@kubernetes/client-node";
import { FINALIZER, GROUP, type Memcached, PLURAL } from "./memcached.ts";
import { isOutdated, reportStep } from "./report.ts";

/** Acquires a Lease, then reconciles a Deployment of the desired size for every Memcached, and finalizes it. */
export async function startOperator(config: KubeConfig, namespace: string): Promise<() => Promise<void>> {
  const core = config.makeApiClient(CoreV1Api);
  const apps = config.makeApiClient(AppsV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const release = await acquireLease(config.makeApiClient(CoordinationV1Api), namespace);
  const place = { group: GROUP, version: "v1", namespace, plural: PLURAL };
  const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

  const memcacheds = makeInformer<Memcached>(config, `/apis/${GROUP}/v1/namespaces/${namespace}/${PLURAL}`, () =>
    custom.listNamespacedCustomObject(place),
  );
  const deployments = makeInformer(config, `/apis/apps/v1/namespaces/${namespace}/deployments`, () =>
    apps.listNamespacedDeployment({ namespace }),
  );

  const reconcile = async (name: string) => {
    const memcached = memcacheds.get(name, namespace);
    if (memcached === undefined) return;
    const named = { ...place, name };
    const finalizers = memcached.metadata?.finalizers ?? [];
    if (memcached.metadata?.deletionTimestamp !== undefined) {
      if (!finalizers.includes(FINALIZER)) return;
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "farewell" } } });
      await apps.deleteNamespacedDeployment({ namespace, name });
      await custom.patchNamespacedCustomObject({ ...named, body: { metadata: { finalizers: null } } }, merge);
      return;
    }
    if (!finalizers.includes(FINALIZER)) {
      await custom.patchNamespacedCustomObject({ ...named, body: { metadata: { finalizers: [FINALIZER] } } }, merge);
      return;
    }
    const deployment = await apps.patchNamespacedDeployment(
      { namespace, name, fieldManager: "operator", force: true, body: buildDeployment(memcached) },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    );
    const status = { ready: deployment.status?.readyReplicas ?? 0, observedGeneration: memcached.metadata?.generation };
    if (memcached.status?.ready === status.ready && memcached.status.observedGeneration === status.observedGeneration) return;
    await custom.patchNamespacedCustomObjectStatus({ ...named, body: { status } }, merge);
  };

  // Sequential: the events of a write are received before the next reconcile.
  let busy = Promise.resolve();
  let stopped = false;
  const enqueue = (object: { metadata?: { name?: string } }) => {
    busy = busy
      .then(() => reconcile(object.metadata?.name ?? ""))
      .catch((error: unknown) => {
        if (!isOutdated(error)) console.error(error);
        setTimeout(enqueue, 100, object);
      });
  };
  const startInformer = (informer: Informer<KubernetesObject>) => {
    informer.on("add", enqueue);
    informer.on("update", enqueue);
    informer.on("delete", enqueue);
    // A CRD that was just created may not be served yet; the client does not retry.
    informer.on("error", () => {
      if (!stopped) setTimeout(() => void informer.start(), 100);
    });
    return informer.start();
  };
  await startInformer(memcacheds as Informer<KubernetesObject>);
  await startInformer(deployments);
  return async () => {
    stopped = true;
    await memcacheds.stop();
    await deployments.stop();
    await release();
  };
}

function buildDeployment({ metadata, spec }: Memcached) {
  const { name = "", uid = "" } = metadata ?? {};
  const labels = { app: name };
  const owner = { apiVersion: `${GROUP}/v1`, kind: "Memcached", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, ownerReferences: [owner] },
    spec: {
      replicas: spec?.size,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "memcached", image: "memcached:1.6" }] } },
    },
  };
}

async function acquireLease(leases: CoordinationV1Api, namespace: string): Promise<() => Promise<void>> {
  const name = "operator";
  const now = () => new V1MicroTime();
  const spec = { holderIdentity: "me", leaseDurationSeconds: 15, leaseTransitions: 0, acquireTime: now(), renewTime: now() };
  const taken = await leases.createNamespacedLease({ namespace, body: { metadata: { name }, spec } });
  reportStep("led", taken);
  const renewed = await leases.replaceNamespacedLease({ namespace, name, body: { ...taken, spec: { ...spec, renewTime: now() } } });
  reportStep("renewed", renewed);
  return async () => {
    const released = await leases.replaceNamespacedLease({
      namespace,
      name,
      body: { ...renewed, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: 1 } },
    });
    reportStep("released", released);
  };
}
