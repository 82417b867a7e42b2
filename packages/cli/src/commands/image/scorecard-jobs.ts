import type { BundleFiles, ScorecardResult } from "@pintle/lifecycle";
import type { ScorecardTestConfig } from "@pintle/lifecycle/internal/scorecard";
import { type Client, NotFound, Timeout } from "pintle/client";
import { Job } from "pintle/kinds/batch/v1";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";

/** Where tests find the bundle. */
const BUNDLE_ROOT = "/bundle";
const CONTAINER = "scorecard-test";
const LABEL = "testrun";

/** Runs the tests that have images of their own as Jobs of a cluster. */
export interface ScorecardJobs {
  run(test: ScorecardTestConfig): Promise<readonly ScorecardResult[]>;
  /** Deletes everything that was created. */
  cleanUp(): Promise<void>;
}

export interface ScorecardJobsOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Whether pods fulfil the restricted Pod Security Standard; images that run as root then do not start. */
  readonly restricted: boolean;
  /** Identifies the objects of this run. */
  readonly name: string;
  /** The time at which tests that run are given up, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Stores the bundle in a ConfigMap, from which all tests mount it. */
export async function createScorecardJobs(files: BundleFiles, options: ScorecardJobsOptions): Promise<ScorecardJobs> {
  const { client, namespace, name, signal } = options;
  const keys = [...files.keys()].map((path, i) => ({ key: `file-${i}`, path }));
  const binaryData = Object.fromEntries(keys.map(({ key, path }) => [key, files.get(path)!.toString("base64")]));
  const labels = { app: CONTAINER, [LABEL]: name };
  await client.create(ConfigMap, { metadata: { name, namespace, labels }, binaryData }, { signal });
  let count = 0;
  return {
    async run(test) {
      const ref = { name: `${name}-${count++}`, namespace };
      await client.create(Job, { metadata: { ...ref, labels }, spec: buildJobSpec(test, { ...options, keys, labels }) }, { signal });
      return readResults(ref, options);
    },
    async cleanUp() {
      await client.deleteCollection(Job, { namespace, labels: { [LABEL]: name }, propagation: "Background" });
      await client.delete(ConfigMap, { name, namespace });
    },
  };
}

function buildJobSpec(
  { image, entrypoint }: ScorecardTestConfig,
  {
    name,
    serviceAccount,
    restricted,
    keys,
    labels,
  }: ScorecardJobsOptions & {
    readonly keys: readonly { readonly key: string; readonly path: string }[];
    readonly labels: Readonly<Record<string, string>>;
  },
) {
  return {
    backoffLimit: 0,
    template: {
      metadata: { labels: { ...labels } },
      spec: {
        serviceAccountName: serviceAccount,
        restartPolicy: "Never" as const,
        ...(restricted ? { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" as const } } } : {}),
        containers: [
          {
            name: CONTAINER,
            image,
            imagePullPolicy: "IfNotPresent" as const,
            ...(entrypoint === undefined ? {} : { command: [...entrypoint] }),
            ...(restricted ? { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } } : {}),
            volumeMounts: [{ name: "bundle", mountPath: BUNDLE_ROOT, readOnly: true }],
            env: [{ name: "SCORECARD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
          },
        ],
        volumes: [{ name: "bundle", configMap: { name, items: keys.map((each) => ({ ...each })) } }],
      },
    },
  };
}

/** Waits for a Job, and reads the results that its container printed as JSON. */
async function readResults(
  ref: { readonly name: string; readonly namespace: string },
  { client, deadline, signal }: ScorecardJobsOptions,
): Promise<readonly ScorecardResult[]> {
  const failed = (error: string, log = ""): readonly ScorecardResult[] => [
    { state: "fail", errors: [error], ...(log === "" ? {} : { log }), creationTimestamp: null },
  ];
  try {
    const isFinished = (job: { readonly status?: { readonly succeeded?: number; readonly failed?: number } }) =>
      (job.status?.succeeded ?? 0) + (job.status?.failed ?? 0) > 0;
    await client.waitFor(Job, ref, (job) => isFinished(job as never), { timeout: Math.max(deadline - Date.now(), 1), signal });
  } catch (error) {
    if (error instanceof Timeout)
      return failed(`Job ${ref.namespace}/${ref.name} did not finish in time: ${await describePods(client, ref, signal)}`);
    throw error;
  }
  const { items } = await client.list(Pod, { namespace: ref.namespace, labels: { "job-name": ref.name }, signal });
  const [pod] = items;
  if (pod === undefined) return failed(`Job ${ref.namespace}/${ref.name} has no pod`);
  const log = await readLog(client, { name: pod.metadata.name, namespace: ref.namespace }, signal);
  try {
    const { results } = JSON.parse(log) as { readonly results?: readonly ScorecardResult[] };
    if (Array.isArray(results)) return results;
  } catch {}
  return failed("the test printed no JSON with results", log);
}

async function describePods(
  client: Client,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<string> {
  const { items } = await client.list(Pod, { namespace, labels: { "job-name": name }, signal });
  const states = items.flatMap(({ status }) => status?.containerStatuses ?? []).map(({ state }) => state?.waiting?.reason ?? "running");
  return states.join(", ") || "no pod was created";
}

async function readLog(client: Client, ref: { readonly name: string; readonly namespace: string }, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of client.logs(Pod, ref, { container: CONTAINER, signal })) parts.push(part);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
  return Buffer.concat(parts).toString();
}
