/** Kinds of the groups networking.k8s.io and discovery.k8s.io. */
import type { RuleTable } from "../rules.ts";
import {
  endpointSliceTable,
  ingressClassTable,
  ingressTable,
  ipAddressTable,
  networkPolicyTable,
  serviceCidrTable,
} from "../table/others.ts";

export const networkRules: RuleTable = {
  EndpointSlice: { table: endpointSliceTable },
  IPAddress: { table: ipAddressTable },
  Ingress: { table: ingressTable },
  IngressClass: { table: ingressClassTable },
  NetworkPolicy: { table: networkPolicyTable },
  ServiceCIDR: { table: serviceCidrTable },
};
