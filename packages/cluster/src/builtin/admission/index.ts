/** What a stock server's own admission plugins do to built-in kinds. In comes the store they look into; out go plugins. */
import type { Clock, Random } from "pintle/queue";
import type { AdmissionPlugin } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import { defaultIngressClass } from "./ingress-class.ts";
import { limitRanger } from "./limit-ranger.ts";
import { taintNodesByCondition } from "./node-taint.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";
import { defaultTolerationSeconds } from "./tolerations.ts";

export interface BuiltinAdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Names as in --disable-admission-plugins. Some only make sense with the controllers that go with them. */
  readonly without?: readonly string[] | undefined;
}

/** In the order of a stock server. */
export function builtinAdmission({ store, clock, random, without = [] }: BuiltinAdmissionOptions): readonly AdmissionPlugin[] {
  const all = [
    ...limitRanger(store),
    serviceAccount({ store, clock, random }),
    taintNodesByCondition,
    ...priority(store),
    defaultTolerationSeconds,
    defaultStorageClass(store),
    ...storageObjectInUseProtection,
    persistentVolumeClaimResize(store),
    runtimeClass(store),
    defaultIngressClass(store),
    resourceQuota(store),
  ];
  return all.filter(({ name }) => !without.includes(name));
}
