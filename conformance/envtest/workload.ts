import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Namespace, Pod, Secret, Service, ServiceAccount } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";

const WAIT_OPTIONS = { timeout: 60_000 };
const labels = { app: "web" };
const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "main", image }] } });

/** Creates, changes and deletes namespaces with Deployments, Jobs and Services, round by round. The last namespace stays. */
export async function runRounds(client: Client, shouldContinue: (round: number) => boolean): Promise<number> {
  let before: Promise<void> = Promise.resolve();
  for (let round = 1; ; round++) {
    const namespace = shouldContinue(round) ? `round-${round}` : LAST_NAMESPACE;
    await client.create(Namespace, { metadata: { name: namespace } });
    await Promise.all([exerciseDeployments(client, namespace), exerciseJobs(client, namespace), waitForToken(client, namespace)]);
    await before;
    if (namespace === LAST_NAMESPACE) return round;
    // Deleted while the next round runs.
    before = removeNamespace(client, namespace);
    before.catch(() => {});
  }
}

/** The namespace that is not deleted. */
export const LAST_NAMESPACE = "round-last";

async function exerciseDeployments(client: Client, namespace: string): Promise<void> {
  const at = { namespace, name: "web" };
  const isSettled = (replicas: number) =>
    client.waitFor(
      Deployment,
      at,
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === replicas &&
        status.updatedReplicas === replicas &&
        status.replicas === replicas,
      WAIT_OPTIONS,
    );
  await client.create(Service, { metadata: at, spec: { selector: labels, ports: [{ port: 80 }] } });
  await client.create(Deployment, { metadata: at, spec: { replicas: 2, selector: { matchLabels: labels }, template: template("web:1") } });
  await isSettled(2);
  await client.patch(Deployment, at, { merge: { spec: { replicas: 4 } } });
  await isSettled(4);
  await client.patch(Deployment, at, { merge: { spec: { template: template("web:2") } } });
  await isSettled(4);
  await client.patch(Deployment, at, { merge: { spec: { replicas: 1 } } });
  await isSettled(1);
  await waitUntil(async () => {
    const { items } = await client.list(EndpointSlice, { namespace, labels: { "kubernetes.io/service-name": "web" } });
    return items.length === 1 && items[0]?.endpoints?.length === 1;
  });
  const doomed = { namespace, name: "doomed" };
  await client.create(Deployment, {
    metadata: doomed,
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "doomed" } },
      template: { ...template("x"), metadata: { labels: { app: "doomed" } } },
    },
  });
  await client.waitFor(Deployment, doomed, ({ status }) => status?.availableReplicas === 2, WAIT_OPTIONS);
  await client.delete(Deployment, doomed, { propagation: "Foreground" });
  await waitUntil(async () => (await client.list(Pod, { namespace, labels: { app: "doomed" } })).items.length === 0);
}

async function exerciseJobs(client: Client, namespace: string): Promise<void> {
  const spec = { containers: [{ name: "main", image: "task" }], restartPolicy: "Never" as const };
  for (const [name, completions] of [
    ["one", 1],
    ["three", 3],
  ] as const) {
    await client.create(Job, { metadata: { namespace, name }, spec: { completions, parallelism: 2, template: { spec } } });
    const isComplete = (job: Job) => (job.status?.conditions ?? []).some(({ type, status }) => type === "Complete" && status === "True");
    await client.waitFor(Job, { namespace, name }, isComplete, WAIT_OPTIONS);
  }
  await client.delete(Job, { namespace, name: "one" }, { propagation: "Background" });
  await waitUntil(
    async () => (await client.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": "one" } })).items.length === 0,
  );
  await client.create(CronJob, {
    metadata: { namespace, name: "yearly" },
    spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: { spec } } } },
  });
}

/** Waits for the objects that the controller manager creates in a namespace. */
async function waitForToken(client: Client, namespace: string): Promise<void> {
  await client.waitFor(ConfigMap, { namespace, name: "kube-root-ca.crt" }, () => true, WAIT_OPTIONS);
  // The controller manager deletes token Secrets of missing accounts.
  await client.waitFor(ServiceAccount, { namespace, name: "default" }, () => true, WAIT_OPTIONS);
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await client.create(Secret, { metadata: { namespace, name: "token", annotations }, type: "kubernetes.io/service-account-token" });
  await client.waitFor(Secret, { namespace, name: "token" }, ({ data }) => data?.["token"] !== undefined, WAIT_OPTIONS);
}

async function removeNamespace(client: Client, name: string): Promise<void> {
  await client.delete(Namespace, { name });
  await waitUntil(async () => (await client.find(Namespace, { name })) === undefined);
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_OPTIONS.timeout; !(await condition()); await delay(100)) {
    if (Date.now() > end) throw new Error(`condition not met after ${WAIT_OPTIONS.timeout / 1000} s: ${condition}`);
  }
}
