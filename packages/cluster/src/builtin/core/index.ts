/** Kinds of the core group. */
import type { RuleTable } from "../rules.ts";
import { endpointsTable, podTemplateTable, replicationControllerTable, resourceQuotaTable } from "../table/core.ts";
import { event, eventsEvent } from "./event.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { pod } from "./pod.ts";
import { configMap, secret } from "./secret.ts";
import { serviceRules } from "./service.ts";
import { serviceAccount } from "./service-account.ts";
import type { ServiceAddresses } from "./service-addresses.ts";
import { persistentVolume, persistentVolumeClaim } from "./volume.ts";

export { type ServiceAddresses, serviceAddresses } from "./service-addresses.ts";

export function coreRules(addresses: ServiceAddresses): RuleTable {
  return {
    ConfigMap: configMap,
    Endpoints: { table: endpointsTable },
    Event: event,
    "events.k8s.io/v1/Event": eventsEvent,
    Namespace: namespace,
    Node: node,
    PersistentVolume: persistentVolume,
    PersistentVolumeClaim: persistentVolumeClaim,
    Pod: pod,
    PodTemplate: { table: podTemplateTable },
    ReplicationController: {
      table: replicationControllerTable,
      deletion: { propagation: "Orphan" },
      selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
    },
    ResourceQuota: { table: resourceQuotaTable },
    Secret: secret,
    Service: serviceRules(addresses),
    ServiceAccount: serviceAccount,
  };
}
