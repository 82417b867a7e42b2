import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import { GROUP, type Memcached, PLURAL } from "./memcached.ts";
import { isMissing, pollUntil, reportRefusal, reportStep } from "./report.ts";

/** The actions of a user while the operator runs. */
export async function runUser(config: KubeConfig, namespace: string): Promise<void> {
  await exerciseVerbs(config, namespace);
  await provokeRefusals(config, namespace);
  await exerciseMemcached(config, namespace);
}

/** Writes one ConfigMap with every verb while it is watched. */
async function exerciseVerbs(config: KubeConfig, namespace: string): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const name = "settings";
  const labelSelector = "transcript=yes";
  const none = await core.listNamespacedConfigMap({ namespace, labelSelector });
  reportStep("none yet", none);
  const events: unknown[] = [];
  let failed: unknown;
  const watching = await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { labelSelector, resourceVersion: none.metadata?.resourceVersion },
    (type, object) => events.push([type, object]),
    (error) => {
      failed = error;
    },
  );
  const created = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name, labels: { transcript: "yes" } }, data: { mode: "slow" }, binaryData: { raw: "AAH/" } },
  });
  reportStep("created", created);
  const updated = await core.replaceNamespacedConfigMap({ namespace, name, body: { ...created, data: { mode: "fast" } } });
  reportStep("updated", updated);
  const patch = async (strategy: PatchStrategy, body: unknown, more = {}) =>
    reportStep(
      strategy,
      await core.patchNamespacedConfigMap({ namespace, name, body, ...more }, setHeaderOptions("Content-Type", strategy)),
    );
  await patch(PatchStrategy.MergePatch, { data: { extra: "1" } });
  await patch(PatchStrategy.JsonPatch, [{ op: "remove", path: "/data/extra" }]);
  await patch(PatchStrategy.StrategicMergePatch, { metadata: { annotations: { note: "ä" } } });
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { applied: "yes" } };
  await patch(PatchStrategy.ServerSideApply, applied, { fieldManager: "applier" });
  await patch(PatchStrategy.MergePatch, { data: { extra: "1" } }, { dryRun: "All" });
  const another = { ...applied, data: { applied: "no" } };
  await reportRefusal("conflict of appliers", patch(PatchStrategy.ServerSideApply, another, { fieldManager: "another" }));
  await reportRefusal("conflict of writers", core.replaceNamespacedConfigMap({ namespace, name, body: created }));
  reportStep("deleted", await core.deleteNamespacedConfigMap({ namespace, name }));
  await pollUntil(
    "seven events",
    async () => events.length,
    (count) => count === 7 || failed !== undefined,
  );
  if (failed !== undefined) throw failed;
  watching.abort();
  reportStep("events", events);
}

async function provokeRefusals(config: KubeConfig, namespace: string): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const objects = KubernetesObjectApi.makeApiClient(config);
  await reportRefusal("a wrong name", core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "Not A Name" } } }));
  await reportRefusal("nothing there", core.readNamespacedPod({ namespace, name: "missing" }));
  const empty = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "empty", namespace } };
  await reportRefusal("an empty Deployment", objects.create(empty));
  const small: Memcached = { apiVersion: `${GROUP}/v1`, kind: "Memcached", metadata: { name: "small", namespace }, spec: { size: -1 } };
  await reportRefusal("a wrong size", objects.create(small));
}

/** Follows one Memcached from creation to deletion. */
async function exerciseMemcached(config: KubeConfig, namespace: string): Promise<void> {
  const custom = config.makeApiClient(CustomObjectsApi);
  const apps = config.makeApiClient(AppsV1Api);
  const core = config.makeApiClient(CoreV1Api);
  const name = "cache";
  const place = { group: GROUP, version: "v1", namespace, plural: PLURAL, name };
  const read = (): Promise<Memcached> => custom.getNamespacedCustomObject(place);
  const ready = async (size: number) => {
    const isReady = ({ status, metadata }: Memcached) => status?.ready === size && status.observedGeneration === metadata?.generation;
    reportStep("ready", await pollUntil(`${size} ready`, read, isReady));
    const { metadata, spec, status } = await apps.readNamespacedDeployment({ namespace, name });
    reportStep("owned", { owners: metadata?.ownerReferences, spec, ready: status?.readyReplicas });
  };
  const body = { apiVersion: `${GROUP}/v1`, kind: "Memcached", metadata: { name }, spec: { size: 2 } };
  reportStep("Memcached", await custom.createNamespacedCustomObject({ ...place, body }));
  await ready(2);
  const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  await custom.patchNamespacedCustomObject({ ...place, body: { spec: { size: 3 } } }, merge);
  await ready(3);
  await custom.deleteNamespacedCustomObject(place);
  const waitUntilGone = (what: string, ask: () => Promise<unknown>) =>
    pollUntil(
      `${what} gone`,
      () => ask().then(() => false, isMissing),
      (missing) => missing,
    );
  await waitUntilGone("Memcached", read);
  await waitUntilGone("Deployment", () => apps.readNamespacedDeployment({ namespace, name }));
  reportStep("farewell", await core.readNamespacedConfigMap({ namespace, name: "farewell" }));
}
