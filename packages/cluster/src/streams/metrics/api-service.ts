import type { Clock, Random } from "pintle/internal/clock";
import { formatTimestamp, generateUid } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { METRICS_GROUP, METRICS_VERSION } from "./metrics-schemas.ts";

export interface MetricsApiServiceOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** For the uid of the APIService. */
  readonly random: Random;
}

/** Creates the APIService that marks the metrics group as served locally, unless it exists. */
export async function registerMetricsApiService({ store, clock, random }: MetricsApiServiceOptions): Promise<void> {
  const name = `${METRICS_VERSION}.${METRICS_GROUP}`;
  const key = `/registry/apiregistration.k8s.io/apiservices/${name}`;
  if ((await store.get(key)) !== undefined) return;
  const now = formatTimestamp(clock.now());
  const local = { reason: "Local", message: "Local APIServices are always available" };
  await store.txn(key, 0, {
    put: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: {
        name,
        uid: generateUid(random),
        creationTimestamp: now,
        labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" },
      },
      spec: { group: METRICS_GROUP, version: METRICS_VERSION, groupPriorityMinimum: 100, versionPriority: 100 },
      status: { conditions: [{ type: "Available", status: "True", lastTransitionTime: now, ...local }] },
    },
  });
}
