/**
 * The built-in kinds of Kubernetes 1.36 as the API server serves them. In come the tables of `generated`, made from a
 * real server and its sources; out go ServedResource values: decoding as Go's structs do it, defaults, validation,
 * strategies, table columns. Nothing is compiled before it is used.
 */
import type { ServedResource } from "../api/index.ts";
import { accessRules } from "./access/index.ts";
import { coreRules, type ServiceAddresses, serviceAddresses } from "./core/index.ts";
import { extensionRules } from "./extension/index.ts";
import { networkRules } from "./network/index.ts";
import { resourcesFrom } from "./resources.ts";
import type { KindRules } from "./rules.ts";
import { storageRules } from "./storage/index.ts";
import { workloadRules } from "./workloads/index.ts";

export { definition, openApiDocument, openApiPlaces } from "./published/index.ts";
export { type ServiceAddresses, serviceAddresses };

export interface BuiltinOptions {
  /** Which cluster IPs and node ports are free. Show it every service that is stored; default: one that has seen none. */
  readonly addresses?: ServiceAddresses | undefined;
  /** By kind, what other parts of the server see to: what a TokenReview is answered with, how a ServiceAccount gets a token. */
  readonly more?: Readonly<Record<string, Pick<KindRules<any>, "ask" | "actions">>> | undefined;
}

/** Every stored kind of a stock server, and the questions that have an answer, in the order of its discovery. */
export function builtinResources({ addresses = serviceAddresses(Math.random), more = {} }: BuiltinOptions = {}): readonly ServedResource[] {
  const rules = { ...coreRules(addresses), ...workloadRules, ...networkRules, ...storageRules, ...accessRules, ...extensionRules };
  return resourcesFrom((group, version, kind) => ({ ...(rules[`${group}/${version}/${kind}`] ?? rules[kind]), ...more[kind] }));
}
