import { Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { LABEL, PORTS } from "../members.ts";

/** Returns the headless Service, which includes members that are not ready, and the client Service. */
export function servicesFor({ metadata: { name } }: EtcdCluster) {
  const labels = { [LABEL]: name };
  const client = { name: "client", port: PORTS.client };
  const ports = [{ name: "peer", port: PORTS.peer }, client, { name: "metrics", port: PORTS.metrics }];
  return [
    Service.desired({
      metadata: { name: `${name}-peers`, labels },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports },
    }),
    Service.desired({ metadata: { name, labels }, spec: { selector: labels, ports: [client] } }),
  ];
}

/** Prevents evictions that would break the quorum. */
export function disruptionBudgetFor({ metadata: { name }, spec: { size } }: EtcdCluster) {
  const labels = { [LABEL]: name };
  return PodDisruptionBudget.desired({
    metadata: { name, labels },
    spec: { maxUnavailable: Math.floor((size - 1) / 2), selector: { matchLabels: labels } },
  });
}
