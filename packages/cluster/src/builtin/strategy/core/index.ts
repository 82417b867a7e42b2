/** Strategies of the core group. */
import type { ObjectStore } from "../../../store/index.ts";
import type { StrategyTable } from "../kind-strategy.ts";
import { createBindingStrategy } from "./binding.ts";
import { componentStatusStrategy } from "./component-status.ts";
import { eventStrategy, eventsEventStrategy } from "./event.ts";
import { limitRangeStrategy } from "./limit-range.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { persistentVolumeClaimStrategy, persistentVolumeStrategy } from "./persistent-volume.ts";
import { createPodStrategy } from "./pod.ts";
import { podTemplateStrategy, replicationControllerStrategy } from "./replication-controller.ts";
import { resourceQuotaStrategy } from "./resource-quota.ts";
import { configMapStrategy, secretStrategy } from "./secret.ts";
import { createServiceStrategy } from "./service.ts";
import { serviceAccountStrategy } from "./service-account.ts";
import type { ServiceAllocator } from "./service-allocator.ts";

export {
  createServiceAllocator,
  getFirstAddress,
  type PortRange,
  type ServiceAddressRanges,
  type ServiceAllocator,
  watchServices,
} from "./service-allocator.ts";

export function createCoreStrategies(addresses: ServiceAllocator, store: ObjectStore): StrategyTable {
  return {
    Binding: createBindingStrategy(store),
    ComponentStatus: componentStatusStrategy,
    ConfigMap: configMapStrategy,
    Event: eventStrategy,
    "events.k8s.io/v1/Event": eventsEventStrategy,
    LimitRange: limitRangeStrategy,
    Namespace: namespaceStrategy,
    Node: nodeStrategy,
    PersistentVolume: persistentVolumeStrategy,
    PersistentVolumeClaim: persistentVolumeClaimStrategy,
    Pod: createPodStrategy(store),
    PodTemplate: podTemplateStrategy,
    ReplicationController: replicationControllerStrategy,
    ResourceQuota: resourceQuotaStrategy,
    Secret: secretStrategy,
    Service: createServiceStrategy(addresses),
    ServiceAccount: serviceAccountStrategy,
  };
}
