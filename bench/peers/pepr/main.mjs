/**
 * The Memcached operator of the benchmarks as a Pepr module in watch mode. KUBECONFIG names the server; the arguments are the port and
 * the certificate folder of Pepr's own server. JavaScript, because Pepr's types are not installed in this workspace.
 */
import path from "node:path";

const [, port, certificates] = process.argv.slice(2);
// Pepr reads these when it is imported. It logs to stdout, which the benchmark reads, so only warnings are logged.
process.env["LOG_LEVEL"] ??= "warn";
process.env["PEPR_WATCH_MODE"] = "true";
process.env["SSL_KEY_PATH"] = path.join(certificates, "server.key");
process.env["SSL_CERT_PATH"] = path.join(certificates, "server.crt");

const { a, Capability, K8s, PeprModule, RegisterKind, sdk } = (await import("pepr")).default;

const LABEL = "cache.example.com/memcached";
class Memcached extends a.GenericKind {}
RegisterKind(Memcached, { group: "cache.example.com", version: "v1alpha1", kind: "Memcached", plural: "memcacheds" });

const operator = new Capability({ name: "memcached", description: "creates a Deployment for every Memcached", namespaces: [] });
const nodesOf = new Map();
const keyOf = ({ namespace }, name) => `${namespace}/${name}`;

operator
  .When(Memcached)
  .IsCreatedOrUpdated()
  .Reconcile(async (memcached) => {
    const { name, generation } = memcached.metadata;
    // Skips updates caused by its own status writes, as Pepr's tutorial does.
    if (memcached.status?.observedGeneration === generation) return;
    // The latency benchmark reads when a change reaches the reconciler.
    if (generation > 1) process.stdout.write(`${name} ${generation} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`);
    const deployment = await K8s(a.Deployment).Apply(deploymentFor(memcached), { force: true });
    await writeStatus(memcached, deployment.status?.readyReplicas ?? 0);
  });

const refresh = async ({ metadata }, name) => {
  const memcached = await K8s(Memcached).InNamespace(metadata.namespace).Get(name);
  const deployment = await K8s(a.Deployment).InNamespace(metadata.namespace).Get(name);
  await writeStatus(memcached, deployment.status?.readyReplicas ?? 0);
};
operator
  .When(a.Pod)
  .IsCreatedOrUpdated()
  .WithLabel(LABEL)
  .Watch(async (pod) => {
    const owner = pod.metadata.labels[LABEL];
    const nodes = nodesOf.get(keyOf(pod.metadata, owner)) ?? new Set();
    nodesOf.set(keyOf(pod.metadata, owner), nodes.add(pod.metadata.name));
    await refresh(pod, owner);
  });
operator
  .When(a.Pod)
  .IsDeleted()
  .WithLabel(LABEL)
  .Watch(async (pod) => {
    const owner = pod.metadata.labels[LABEL];
    nodesOf.get(keyOf(pod.metadata, owner))?.delete(pod.metadata.name);
    await refresh(pod, owner);
  });
operator
  .When(a.Deployment)
  .IsUpdated()
  .WithLabel(LABEL)
  .Watch(async (deployment) => {
    if ((deployment.status?.readyReplicas ?? 0) > 0) await refresh(deployment, deployment.metadata.name);
  });

async function writeStatus({ metadata: { name, namespace, generation }, spec, status: before }, ready) {
  const nodes = [...(nodesOf.get(`${namespace}/${name}`) ?? [])].sort();
  const state = ready >= spec.size ? "True" : "False";
  const [last] = before?.conditions ?? [];
  const available = {
    type: "Available",
    status: state,
    reason: state === "True" ? "Ready" : "PodsMissing",
    message: `${ready} of ${spec.size} pods are ready`,
    observedGeneration: generation,
    lastTransitionTime: last?.status === state ? last.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`,
  };
  const status = {
    nodes,
    replicas: nodes.length,
    selector: `${LABEL}=${name}`,
    observedGeneration: generation,
    conditions: [available],
  };
  await K8s(Memcached).PatchStatus({ metadata: { name, namespace }, status });
}

function deploymentFor(memcached) {
  const { name, namespace } = memcached.metadata;
  const labels = { "app.kubernetes.io/name": "memcached", [LABEL]: name };
  const container = {
    name: "memcached",
    image: memcached.spec.image,
    args: ["memcached", "-m", "64", "-o", "modern"],
    ports: [{ name: "memcached", containerPort: 11211 }],
  };
  return {
    metadata: { name, namespace, labels, ownerReferences: sdk.getOwnerRefFrom(memcached, true, true) },
    spec: {
      replicas: memcached.spec.size,
      selector: { matchLabels: { [LABEL]: name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

const settings = { uuid: "bench", onError: "ignore", alwaysIgnore: { namespaces: [] } };
new PeprModule({ description: "bench", pepr: settings }, [operator], { deferStart: true }).start(Number(port));
