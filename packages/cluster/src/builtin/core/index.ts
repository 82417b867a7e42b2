/** Kinds of the core group. */
import type { Store } from "../../store/index.ts";
import type { RuleTable } from "../rules.ts";
import { bindingRules } from "./binding.ts";
import { componentStatus } from "./component-status.ts";
import { event, eventsEvent } from "./event.ts";
import { limitRange } from "./limit-range.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node.ts";
import { podRules } from "./pod.ts";
import { resourceQuota } from "./quota.ts";
import { podTemplate, replicationController } from "./replication.ts";
import { configMap, secret } from "./secret.ts";
import { serviceRules } from "./service.ts";
import { serviceAccount } from "./service-account.ts";
import type { ServiceAddresses } from "./service-addresses.ts";
import { persistentVolume, persistentVolumeClaim } from "./volume.ts";

export { type AddressRanges, firstAddress, followServices, type ServiceAddresses, serviceAddresses } from "./service-addresses.ts";

export function coreRules(addresses: ServiceAddresses, store: Store): RuleTable {
  return {
    Binding: bindingRules(store),
    ComponentStatus: componentStatus,
    ConfigMap: configMap,
    Event: event,
    "events.k8s.io/v1/Event": eventsEvent,
    LimitRange: limitRange,
    Namespace: namespace,
    Node: node,
    PersistentVolume: persistentVolume,
    PersistentVolumeClaim: persistentVolumeClaim,
    Pod: podRules(store),
    PodTemplate: podTemplate,
    ReplicationController: replicationController,
    ResourceQuota: resourceQuota,
    Secret: secret,
    Service: serviceRules(addresses),
    ServiceAccount: serviceAccount,
  };
}
