import type { JsonObject } from "pintle/kinds";
import type { Clock, Random } from "pintle/queue";
import type { Store } from "../../store/index.ts";
import { timestamp } from "../clock.ts";
import { generateUid } from "../metadata/generate-name.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { CRD_GROUP, CRD_PLURAL } from "./definition.ts";

export interface ApiServicesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** For uids. */
  readonly random: Random;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const DEFINITIONS = `/registry/${CRD_GROUP}/${CRD_PLURAL}/`;
const SERVICES = "/registry/apiregistration.k8s.io/apiservices/";
const AUTOMATIC = "kube-aggregator.kubernetes.io/automanaged";

/**
 * Follows CRDs: for every version of every group that they serve there is an APIService, as on a server that could hand
 * groups on to others. Returns how to stop.
 */
export async function apiServices({ store, clock, random }: ApiServicesOptions): Promise<() => void> {
  const crds = new Map<string, JsonObject>();
  const waiting = new Map<string, GroupVersion>();
  let stopped = false;
  let working = false;

  const { entries, revision } = await store.range(DEFINITIONS);
  for (const { key, value } of entries) crds.set(key, value);
  const unwatch = await store.watch(DEFINITIONS, revision, ({ type, key, value, previous }) => {
    if (type === "put") crds.set(key, value);
    else crds.delete(key);
    wake([...served(value), ...(previous === undefined ? [] : served(previous.value))]);
  });
  wake([...crds.values()].flatMap(served));
  return () => {
    stopped = true;
    unwatch();
  };

  function wake(versions: readonly GroupVersion[]): void {
    for (const each of versions) waiting.set(nameOf(each), each);
    if (!working && waiting.size > 0) void work();
  }

  async function work(): Promise<void> {
    working = true;
    // After the commit that woke it is through with its listeners.
    await undefined;
    for (const [name, each] of waiting) {
      if (stopped) return;
      waiting.delete(name);
      // What cannot be written now is looked at again with the next change of a definition.
      await sync(each).catch(() => {});
    }
    working = false;
  }

  async function sync(each: GroupVersion): Promise<void> {
    const key = `${SERVICES}${nameOf(each)}`;
    const wanted = [...crds.values()].flatMap(served).some(({ group, version }) => group === each.group && version === each.version);
    const found = await store.get(key);
    if (wanted && found === undefined) {
      await store.txn(key, 0, { put: apiService(each, generateUid(random), timestamp(clock.now())) });
    } else if (!wanted && found !== undefined && metadataOf(found.value).labels?.[AUTOMATIC] === "true") {
      await store.txn(key, found.revision, { delete: true });
    }
  }
}

function served(crd: JsonObject): readonly GroupVersion[] {
  const { group, versions } = crd["spec"] as unknown as {
    readonly group: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  return versions.filter((each) => each.served).map(({ name }) => ({ group, version: name }));
}

const nameOf = ({ group, version }: GroupVersion) => `${version}.${group}`;

const OWNED = {
  "f:metadata": { "f:labels": { ".": {}, [`f:${AUTOMATIC}`]: {} } },
  "f:spec": { "f:group": {}, "f:groupPriorityMinimum": {}, "f:version": {}, "f:versionPriority": {} },
};

function apiService({ group, version }: GroupVersion, uid: string, now: string): JsonObject {
  const apiVersion = "apiregistration.k8s.io/v1";
  return {
    kind: "APIService",
    apiVersion,
    metadata: {
      name: nameOf({ group, version }),
      uid,
      creationTimestamp: now,
      labels: { [AUTOMATIC]: "true" },
      managedFields: [{ manager: "kube-apiserver", operation: "Update", apiVersion, time: now, fieldsType: "FieldsV1", fieldsV1: OWNED }],
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
