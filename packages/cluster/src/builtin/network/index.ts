/** Kinds of the groups networking.k8s.io and discovery.k8s.io, and Endpoints. */
import type { RuleTable } from "../rules.ts";
import { endpointSlice } from "./endpoint-slice.ts";
import { endpoints } from "./endpoints.ts";
import { ingress, ingressClass } from "./ingress.ts";
import { ipAddress, serviceCidr } from "./ip-address.ts";
import { networkPolicy } from "./network-policy.ts";

export { withLoopback } from "./loopback.ts";

export const networkRules: RuleTable = {
  EndpointSlice: endpointSlice,
  Endpoints: endpoints,
  IPAddress: ipAddress,
  Ingress: ingress,
  IngressClass: ingressClass,
  NetworkPolicy: networkPolicy,
  ServiceCIDR: serviceCidr,
};
