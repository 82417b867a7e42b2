/**
 * The built-in kinds of Kubernetes 1.36. Takes the tables of `generated`, which were recorded from kube-apiserver and
 * its sources; returns `ServedResource` values with decoding, defaulting, strategies, validation and table printers,
 * and the built-in admission plugins. Everything is compiled on first use.
 */
import type { ServedResource } from "../api/index.ts";
import { createMemoryStore, type ObjectStore } from "../store/index.ts";
import { createServedResources } from "./served-resources.ts";
import { accessStrategies } from "./strategy/access/index.ts";
import { createCoreStrategies, createServiceAllocator, type ServiceAllocator } from "./strategy/core/index.ts";
import { extensionStrategies } from "./strategy/extension/index.ts";
import type { KindStrategy } from "./strategy/kind-strategy.ts";
import { allowLoopbackEndpoints, networkStrategies } from "./strategy/network/index.ts";
import { storageStrategies } from "./strategy/storage/index.ts";
import { workloadStrategies } from "./strategy/workloads/index.ts";

export { getZoneOffset, isTimeZone } from "../schema/decode/index.ts";
export {
  type BuiltinAdmissionOptions,
  createBuiltinAdmissionPlugins,
  type EventRateLimit,
  type ImagePolicyOptions,
} from "./admission-plugins/index.ts";
export { isCertificateRequestError, parseRequestField } from "./certificate-request.ts";
export { sumPodResources } from "./pod-resources.ts";
export { getDefinition, getOpenApiDocument, listDefinitionNames, listOpenApiPaths } from "./published/index.ts";
export { addQuantities, compareQuantities, nanos } from "./quantities.ts";
export { getQuotaUsage, matchesQuotaScopes, type QuotaUsage, sumQuotaUsage } from "./quota/index.ts";
export {
  createServiceAllocator,
  getFirstAddress,
  type PortRange,
  type ServiceAddressRanges,
  type ServiceAllocator,
  watchServices,
} from "./strategy/core/index.ts";

export interface BuiltinResourcesOptions {
  /** Store from which strategies read other objects, such as the disruption budgets for an eviction. Default: an empty store. */
  readonly store?: ObjectStore | undefined;
  /** Allocator of cluster IPs and node ports; see `watchServices`. Default: an allocator without services. */
  readonly serviceAllocator?: ServiceAllocator | undefined;
  /** Allow loopback addresses in endpoints, which kube-apiserver rejects. Default: false. */
  readonly loopbackEndpoints?: boolean | undefined;
  /**
   * Handlers by kind that other folders provide: the response to a TokenReview, tokens of a ServiceAccount, logs of a
   * Pod. Default: none.
   */
  readonly overrides?: Readonly<Record<string, Pick<KindStrategy<any>, "evaluateReview" | "actions" | "connectHandlers">>> | undefined;
}

/** Creates all built-in resources in discovery order: stored kinds, and virtual ones with a handler. */
export function createBuiltinResources(options: BuiltinResourcesOptions = {}): readonly ServedResource[] {
  const { store = createMemoryStore(), serviceAllocator = createServiceAllocator(Math.random), overrides = {} } = options;
  const network = options.loopbackEndpoints === true ? allowLoopbackEndpoints(networkStrategies) : networkStrategies;
  const strategies = {
    ...createCoreStrategies(serviceAllocator, store),
    ...workloadStrategies,
    ...network,
    ...storageStrategies,
    ...accessStrategies,
    ...extensionStrategies,
  };
  return createServedResources((group, version, kind) => {
    const own = strategies[`${group}/${version}/${kind}`] ?? strategies[kind];
    return { ...own, ...overrides[kind], actions: { ...own?.actions, ...overrides[kind]?.actions } };
  });
}
