import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { CronJob, Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Namespace, Pod, Secret, Service, ServiceAccount } from "pintle/kinds/core/v1";
import { EndpointSlice } from "pintle/kinds/discovery/v1";

const LIMIT = { timeout: 60_000 };
const labels = { app: "web" };
const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "main", image }] } });

/** Days of a small cluster: namespaces come with Deployments, Jobs and Services, are changed, and go. The last one stays. */
export async function rounds(client: Client, goesOn: (round: number) => boolean): Promise<number> {
  let before: Promise<void> = Promise.resolve();
  for (let round = 1; ; round++) {
    const namespace = goesOn(round) ? `round-${round}` : LAST;
    await client.create(Namespace, { metadata: { name: namespace } });
    await Promise.all([deployments(client, namespace), jobs(client, namespace), token(client, namespace)]);
    await before;
    if (namespace === LAST) return round;
    // While it goes the next one is at work.
    before = removed(client, namespace);
    before.catch(() => {});
  }
}

/** The namespace that is left. */
export const LAST = "round-last";

async function deployments(client: Client, namespace: string): Promise<void> {
  const at = { namespace, name: "web" };
  const settled = (replicas: number) =>
    client.wait(
      Deployment,
      at,
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.availableReplicas === replicas &&
        status.updatedReplicas === replicas &&
        status.replicas === replicas,
      LIMIT,
    );
  await client.create(Service, { metadata: at, spec: { selector: labels, ports: [{ port: 80 }] } });
  await client.create(Deployment, { metadata: at, spec: { replicas: 2, selector: { matchLabels: labels }, template: template("web:1") } });
  await settled(2);
  await client.patch(Deployment, at, { merge: { spec: { replicas: 4 } } });
  await settled(4);
  await client.patch(Deployment, at, { merge: { spec: { template: template("web:2") } } });
  await settled(4);
  await client.patch(Deployment, at, { merge: { spec: { replicas: 1 } } });
  await settled(1);
  await until(async () => {
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
  await client.wait(Deployment, doomed, ({ status }) => status?.availableReplicas === 2, LIMIT);
  await client.delete(Deployment, doomed, { propagation: "Foreground" });
  await until(async () => (await client.list(Pod, { namespace, labels: { app: "doomed" } })).items.length === 0);
}

async function jobs(client: Client, namespace: string): Promise<void> {
  const spec = { containers: [{ name: "main", image: "task" }], restartPolicy: "Never" as const };
  for (const [name, completions] of [
    ["one", 1],
    ["three", 3],
  ] as const) {
    await client.create(Job, { metadata: { namespace, name }, spec: { completions, parallelism: 2, template: { spec } } });
    const done = (job: Job) => (job.status?.conditions ?? []).some(({ type, status }) => type === "Complete" && status === "True");
    await client.wait(Job, { namespace, name }, done, LIMIT);
  }
  await client.delete(Job, { namespace, name: "one" }, { propagation: "Background" });
  await until(async () => (await client.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": "one" } })).items.length === 0);
  await client.create(CronJob, {
    metadata: { namespace, name: "yearly" },
    spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template: { spec } } } },
  });
}

/** What the controller manager fills in by itself. */
async function token(client: Client, namespace: string): Promise<void> {
  await client.wait(ConfigMap, { namespace, name: "kube-root-ca.crt" }, () => true, LIMIT);
  // Tokens of an account that is not there are taken away.
  await client.wait(ServiceAccount, { namespace, name: "default" }, () => true, LIMIT);
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await client.create(Secret, { metadata: { namespace, name: "token", annotations }, type: "kubernetes.io/service-account-token" });
  await client.wait(Secret, { namespace, name: "token" }, ({ data }) => data?.["token"] !== undefined, LIMIT);
}

async function removed(client: Client, name: string): Promise<void> {
  await client.delete(Namespace, { name });
  await until(async () => (await client.find(Namespace, { name })) === undefined);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LIMIT.timeout; !(await isSo()); await delay(100)) {
    if (Date.now() > end) throw new Error(`not so after ${LIMIT.timeout / 1000} s: ${isSo}`);
  }
}
