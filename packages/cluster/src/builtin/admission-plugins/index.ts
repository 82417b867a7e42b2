/**
 * The admission plugins of kube-apiserver for built-in kinds. Takes the store, clock and authorizer that the plugins
 * read; returns the plugins.
 */
import type { Clock, Random } from "pintle/internal/clock";
import type { AdmissionPlugin, Authorizer } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createDefaultIngressClassPlugin } from "./default-ingress-class.ts";
import { alwaysDeny, certificateSubjectRestriction, createNamespaceExistsPlugin, createPodResizeValidator } from "./deny-plugins.ts";
import { createEventRateLimitPlugin, type EventRateLimit } from "./event-rate-limit.ts";
import { createImagePolicyWebhookPlugin, type ImagePolicyOptions } from "./image-policy-webhook.ts";
import { createLimitRangerPlugins } from "./limit-ranger.ts";
import { type CreateNamespace, createNamespaceAutoProvisionPlugin } from "./namespace-auto-provision.ts";
import { createNodeRestrictionPlugin } from "./node-restriction/index.ts";
import { createOwnerReferencesPermissionPlugin } from "./owner-references-permission.ts";
import { createPodNodeSelectorPlugin } from "./pod-node-selector.ts";
import { createPodSecurityPlugin } from "./pod-security/index.ts";
import { createPodTolerationRestrictionPlugin, extendedResourceToleration } from "./pod-toleration-restriction.ts";
import { createPodTopologyLabelsPlugin } from "./pod-topology-labels.ts";
import { createPriorityPlugins } from "./priority.ts";
import { createResourceQuotaPlugin } from "./resource-quota.ts";
import { createRuntimeClassPlugin } from "./runtime-class.ts";
import { createServiceAccountPlugin } from "./service-account.ts";
import {
  alwaysPullImages,
  defaultTolerationSeconds,
  denyServiceExternalIps,
  limitPodHardAntiAffinityTopology,
  taintNodesByCondition,
} from "./stateless-plugins.ts";
import {
  createDefaultStorageClassPlugin,
  createPersistentVolumeClaimResizePlugin,
  storageObjectInUseProtectionPlugins,
} from "./storage.ts";

export type { EventRateLimit } from "./event-rate-limit.ts";
export type { ImagePolicyOptions } from "./image-policy-webhook.ts";

export interface BuiltinAdmissionOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
  /**
   * Names of plugins to leave out, as in --disable-admission-plugins. Some plugins need their controllers to be
   * running. Default: none.
   */
  readonly disabledPlugins?: readonly string[] | undefined;
  /** Creates a namespace as the API server itself. */
  readonly createNamespace: CreateNamespace;
  /** Limits of the plugin EventRateLimit. Default: none, the plugin has no effect. */
  readonly eventRateLimits?: readonly EventRateLimit[] | undefined;
  /** The backend of the plugin ImagePolicyWebhook. Default: none, the plugin has no effect. */
  readonly imagePolicy?: ImagePolicyOptions | undefined;
}

/**
 * Creates all built-in plugins, including those that are disabled by default; the admission chain decides which ones
 * run and in which order.
 */
export function createBuiltinAdmissionPlugins({
  store,
  clock,
  random,
  authorizer,
  disabledPlugins = [],
  createNamespace,
  eventRateLimits = [],
  imagePolicy,
}: BuiltinAdmissionOptions): readonly AdmissionPlugin[] {
  const all = [
    createNamespaceAutoProvisionPlugin(store, createNamespace),
    createNamespaceExistsPlugin(store),
    ...(imagePolicy === undefined ? [] : [createImagePolicyWebhookPlugin(imagePolicy, clock)]),
    createEventRateLimitPlugin(eventRateLimits, clock),
    certificateSubjectRestriction,
    createPodResizeValidator(store),
    alwaysDeny,
    limitPodHardAntiAffinityTopology,
    ...createLimitRangerPlugins(store),
    createServiceAccountPlugin({ store, clock, random }),
    createNodeRestrictionPlugin({ store, authorizer }),
    taintNodesByCondition,
    alwaysPullImages,
    createPodSecurityPlugin(store),
    createPodNodeSelectorPlugin(store),
    ...createPriorityPlugins(store),
    defaultTolerationSeconds,
    createPodTolerationRestrictionPlugin(store),
    extendedResourceToleration,
    createDefaultStorageClassPlugin(store),
    ...storageObjectInUseProtectionPlugins,
    createOwnerReferencesPermissionPlugin(authorizer),
    createPersistentVolumeClaimResizePlugin(store),
    createRuntimeClassPlugin(store),
    createDefaultIngressClassPlugin(store),
    denyServiceExternalIps,
    createPodTopologyLabelsPlugin(store),
    createResourceQuotaPlugin(store),
  ];
  return all.filter(({ name }) => !disabledPlugins.includes(name));
}
