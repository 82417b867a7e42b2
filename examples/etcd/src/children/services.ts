import { Service } from "pintle/kinds/core/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { EtcdCluster } from "../etcd-cluster.ts";
import { LABEL, PORTS } from "../members.ts";

/** Members find each other before they are ready, clients only afterwards. */
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

/** Nobody may take away so many members at once that the quorum goes with them. */
export function budgetFor({ metadata: { name }, spec: { size } }: EtcdCluster) {
  const labels = { [LABEL]: name };
  return PodDisruptionBudget.desired({
    metadata: { name, labels },
    spec: { maxUnavailable: Math.floor((size - 1) / 2), selector: { matchLabels: labels } },
  });
}
