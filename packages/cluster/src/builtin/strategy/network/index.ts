/** Strategies of networking.k8s.io, discovery.k8s.io and Endpoints. */

import type { FieldError } from "../../../status/index.ts";
import type { KindStrategy, StrategyTable } from "../kind-strategy.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";
import { endpointsStrategy } from "./endpoints.ts";
import { ingressClassStrategy, ingressStrategy } from "./ingress.ts";
import { ipAddressStrategy, serviceCidrStrategy } from "./ip-address.ts";
import { networkPolicyStrategy } from "./network-policy.ts";

export const networkStrategies: StrategyTable = {
  EndpointSlice: endpointSliceStrategy,
  Endpoints: endpointsStrategy,
  IPAddress: ipAddressStrategy,
  Ingress: ingressStrategy,
  IngressClass: ingressClassStrategy,
  NetworkPolicy: networkPolicyStrategy,
  ServiceCIDR: serviceCidrStrategy,
};

/** Returns the strategies with loopback addresses allowed in endpoints, for clusters whose pods are local processes. */
export function allowLoopbackEndpoints(table: StrategyTable): StrategyTable {
  return { ...table, EndpointSlice: dropLoopbackErrors(table["EndpointSlice"]!), Endpoints: dropLoopbackErrors(table["Endpoints"]!) };
}

function dropLoopbackErrors<R extends KindStrategy<any>>(own: R): R {
  const { validate, validateUpdate } = own;
  return {
    ...own,
    ...(validate === undefined ? {} : { validate: (...args: Parameters<typeof validate>) => filterLoopbackErrors(validate(...args)) }),
    ...(validateUpdate === undefined
      ? {}
      : { validateUpdate: (...args: Parameters<typeof validateUpdate>) => filterLoopbackErrors(validateUpdate(...args)) }),
  };
}

function filterLoopbackErrors(problems: Iterable<FieldError>): readonly FieldError[] {
  return [...problems].filter(({ detail }) => !detail.includes("may not be in the loopback range"));
}
