/**
 * The built-in kinds of Kubernetes 1.36 as the API server serves them. In come the tables of `generated`, made from a
 * real server and its sources; out go ServedResource values: decoding as Go's structs do it, defaults, validation,
 * strategies, table columns. Nothing is compiled before it is used.
 */
import type { ServedResource } from "../api/index.ts";
import { memoryStore, type Store } from "../store/index.ts";
import { accessRules } from "./access/index.ts";
import { type AddressRanges, coreRules, firstAddress, followServices, type ServiceAddresses, serviceAddresses } from "./core/index.ts";
import { extensionRules } from "./extension/index.ts";
import { networkRules, withLoopback } from "./network/index.ts";
import { resourcesFrom } from "./resources.ts";
import type { KindRules } from "./rules.ts";
import { storageRules } from "./storage/index.ts";
import { workloadRules } from "./workloads/index.ts";

export { type BuiltinAdmissionOptions, builtinAdmission } from "./admission/index.ts";
export { podTotals } from "./core/pod-totals.ts";
export { definition, definitionNames, openApiDocument, openApiPlaces } from "./published/index.ts";
export { quotaScope, sumUsage, type Usage, usageOf } from "./quota/index.ts";
export { addQuantities, compareQuantities, nanos } from "./text/quantities.ts";
export { type AddressRanges, firstAddress, followServices, type ServiceAddresses, serviceAddresses };

export interface BuiltinOptions {
  /** Where a kind's rules look for other objects: an eviction for budgets. Default: an empty one. */
  readonly store?: Store | undefined;
  /** Which cluster IPs and node ports are free: see followServices. Default: one that has seen no service. */
  readonly addresses?: ServiceAddresses | undefined;
  /** Endpoints may have loopback addresses. A real server never lets them. */
  readonly loopbackEndpoints?: boolean | undefined;
  /** By kind, what other parts of the server see to: what a TokenReview is answered with, how a ServiceAccount gets a token, where a Pod's log is. */
  readonly more?: Readonly<Record<string, Pick<KindRules<any>, "ask" | "actions" | "streams">>> | undefined;
}

/** Every stored kind of a stock server, and the questions that have an answer, in the order of its discovery. */
export function builtinResources(options: BuiltinOptions = {}): readonly ServedResource[] {
  const { store = memoryStore(), addresses = serviceAddresses(Math.random), more = {} } = options;
  const network = options.loopbackEndpoints === true ? withLoopback(networkRules) : networkRules;
  const rules = { ...coreRules(addresses, store), ...workloadRules, ...network, ...storageRules, ...accessRules, ...extensionRules };
  return resourcesFrom((group, version, kind) => {
    const own = rules[`${group}/${version}/${kind}`] ?? rules[kind];
    return { ...own, ...more[kind], actions: { ...own?.actions, ...more[kind]?.actions } };
  });
}
