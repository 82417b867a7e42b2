/** Kinds of the groups networking.k8s.io and discovery.k8s.io. */
import type { RuleTable } from "../rules.ts";
import { ipAddressTable, serviceCidrTable } from "../table/others.ts";
import { endpointSlice } from "./endpoint-slice.ts";
import { ingress, ingressClass } from "./ingress.ts";
import { networkPolicy } from "./network-policy.ts";

export const networkRules: RuleTable = {
  EndpointSlice: endpointSlice,
  IPAddress: { table: ipAddressTable },
  Ingress: ingress,
  IngressClass: ingressClass,
  NetworkPolicy: networkPolicy,
  ServiceCIDR: { table: serviceCidrTable },
};
