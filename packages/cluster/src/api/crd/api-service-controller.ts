import type { Clock, Random } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import type { RecordedRun, RunCause, RunRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { ObjectStore } from "../../store/index.ts";
import { generateUid } from "../metadata/generate-name.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { formatTimestamp } from "../metadata/timestamp.ts";
import { CRD_GROUP, CRD_PLURAL } from "./crd-resource.ts";

export interface ApiServiceControllerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** For uids. */
  readonly random: Random;
  /** Records the runs of the controller. Default: they are not recorded. */
  readonly runs?: RunRecorder | undefined;
}

interface ServedGroupVersion {
  readonly group: string;
  readonly version: string;
}

const CRD_PREFIX = `/registry/${CRD_GROUP}/${CRD_PLURAL}/`;
const API_SERVICE_PREFIX = "/registry/apiregistration.k8s.io/apiservices/";
const AUTOMANAGED_LABEL = "kube-aggregator.kubernetes.io/automanaged";

/**
 * Starts a controller that keeps an APIService for every group and version that CRDs serve, as kube-aggregator does.
 * Returns a function that stops it.
 */
export async function startApiServiceController({ store, clock, random, runs }: ApiServiceControllerOptions): Promise<() => void> {
  const crds = new Map<string, JsonObject>();
  const queue = new Map<string, ServedGroupVersion>();
  let stopped = false;
  let working = false;

  const { entries, revision } = await store.range(CRD_PREFIX);
  for (const { key, value } of entries) crds.set(key, value);
  const unwatch = await store.watch(CRD_PREFIX, revision, ({ type, key, value, previous, revision: committed }) => {
    if (type === "put") crds.set(key, value);
    else crds.delete(key);
    const { name = "", uid } = getMetadata(value);
    const object = { kind: "CustomResourceDefinition", name, uid, resourceVersion: type === "put" ? String(committed) : undefined };
    enqueue([...listServedVersions(value), ...(previous === undefined ? [] : listServedVersions(previous.value))], {
      event: type === "put" ? "modified" : "deleted",
      object,
    });
  });
  enqueue([...crds.values()].flatMap(listServedVersions), { event: "start" });
  return () => {
    stopped = true;
    unwatch();
  };

  function enqueue(versions: readonly ServedGroupVersion[], cause: RunCause): void {
    for (const each of versions) {
      const name = formatApiServiceName(each);
      runs?.enqueue(name, cause);
      queue.set(name, each);
    }
    if (!working && queue.size > 0) runInBackground(processQueue());
  }

  async function processQueue(): Promise<void> {
    working = true;
    // Runs after all listeners of the commit.
    await undefined;
    for (const [name, each] of queue) {
      if (stopped) return;
      queue.delete(name);
      // A failed write is retried with the next change of a CRD.
      const run = runs?.begin(name, 0);
      await reconcile(each, run).catch(() => {});
      run?.end({ result: "success", duration: 0 });
    }
    working = false;
  }

  async function reconcile(each: ServedGroupVersion, run: RecordedRun | undefined): Promise<void> {
    const key = `${API_SERVICE_PREFIX}${formatApiServiceName(each)}`;
    const wanted = [...crds.values()]
      .flatMap(listServedVersions)
      .some(({ group, version }) => group === each.group && version === each.version);
    const found = await store.get(key);
    if (wanted && found === undefined) {
      const uid = generateUid(random);
      const result = await store.txn(key, 0, { put: buildApiService(each, uid, formatTimestamp(clock.now())) });
      if (result.ok) run?.recordCommit({ operation: "put", key, revision: result.entry.revision, uid });
    } else if (!wanted && found !== undefined && getMetadata(found.value).labels?.[AUTOMANAGED_LABEL] === "true") {
      const result = await store.txn(key, found.revision, { delete: true });
      const uid = getMetadata(found.value).uid ?? "";
      if (result.ok) run?.recordCommit({ operation: "delete", key, revision: result.entry.revision, uid });
    }
  }
}

function listServedVersions(crd: JsonObject): readonly ServedGroupVersion[] {
  const { group, versions } = crd["spec"] as unknown as {
    readonly group: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  return versions.filter((each) => each.served).map(({ name }) => ({ group, version: name }));
}

const formatApiServiceName = ({ group, version }: ServedGroupVersion) => `${version}.${group}`;

const OWNED_FIELDS = {
  "f:metadata": { "f:labels": { ".": {}, [`f:${AUTOMANAGED_LABEL}`]: {} } },
  "f:spec": { "f:group": {}, "f:groupPriorityMinimum": {}, "f:version": {}, "f:versionPriority": {} },
};

function buildApiService({ group, version }: ServedGroupVersion, uid: string, now: string): JsonObject {
  const apiVersion = "apiregistration.k8s.io/v1";
  return {
    kind: "APIService",
    apiVersion,
    metadata: {
      name: formatApiServiceName({ group, version }),
      uid,
      creationTimestamp: now,
      labels: { [AUTOMANAGED_LABEL]: "true" },
      managedFields: [
        { manager: "kube-apiserver", operation: "Update", apiVersion, time: now, fieldsType: "FieldsV1", fieldsV1: OWNED_FIELDS },
      ],
    },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100 },
    status: {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: now,
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    },
  };
}
