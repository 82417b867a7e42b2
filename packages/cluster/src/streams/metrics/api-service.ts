import type { Clock, Random } from "pintle/queue";
import { generateUid, timestamp } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { GROUP, VERSION } from "./group.ts";

export interface MetricsServiceOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** For its uid. */
  readonly random: Random;
}

/** Says that this server answers for metrics itself: the APIService of the group, where there is none yet. */
export async function metricsService({ store, clock, random }: MetricsServiceOptions): Promise<void> {
  const name = `${VERSION}.${GROUP}`;
  const key = `/registry/apiregistration.k8s.io/apiservices/${name}`;
  if ((await store.get(key)) !== undefined) return;
  const now = timestamp(clock.now());
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
      spec: { group: GROUP, version: VERSION, groupPriorityMinimum: 100, versionPriority: 100 },
      status: { conditions: [{ type: "Available", status: "True", lastTransitionTime: now, ...local }] },
    },
  });
}
