/** What a stock server's own admission plugins do to built-in kinds. In comes the store they look into; out go plugins. */
import type { Clock, Random } from "pintle/queue";
import type { AdmissionPlugin, Authorizer } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { alwaysPullImages } from "./always-pull.ts";
import { limitPodHardAntiAffinityTopology } from "./anti-affinity.ts";
import { denyServiceExternalIps } from "./external-ips.ts";
import { defaultIngressClass } from "./ingress-class.ts";
import { limitRanger } from "./limit-ranger.ts";
import { nodeRestriction } from "./node-restriction/index.ts";
import { podNodeSelector } from "./node-selector.ts";
import { taintNodesByCondition } from "./node-taint.ts";
import { ownerReferencesPermission } from "./owner-references.ts";
import { podSecurity } from "./pod-security/index.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";
import { extendedResourceToleration, podTolerationRestriction } from "./toleration-rules.ts";
import { defaultTolerationSeconds } from "./tolerations.ts";
import { podTopologyLabels } from "./topology-labels.ts";

export interface BuiltinAdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
  /** Names as in --disable-admission-plugins. Some only make sense with the controllers that go with them. */
  readonly without?: readonly string[] | undefined;
}

/** Those of a stock server, and those that have to be asked for: who runs and when is decided by `chain`. */
export function builtinAdmission({ store, clock, random, authorizer, without = [] }: BuiltinAdmissionOptions): readonly AdmissionPlugin[] {
  const all = [
    limitPodHardAntiAffinityTopology,
    ...limitRanger(store),
    serviceAccount({ store, clock, random }),
    nodeRestriction({ store, authorizer }),
    taintNodesByCondition,
    alwaysPullImages,
    podSecurity(store),
    podNodeSelector(store),
    ...priority(store),
    defaultTolerationSeconds,
    podTolerationRestriction(store),
    extendedResourceToleration,
    defaultStorageClass(store),
    ...storageObjectInUseProtection,
    ownerReferencesPermission(authorizer),
    persistentVolumeClaimResize(store),
    runtimeClass(store),
    defaultIngressClass(store),
    denyServiceExternalIps,
    podTopologyLabels(store),
    resourceQuota(store),
  ];
  return all.filter(({ name }) => !without.includes(name));
}
