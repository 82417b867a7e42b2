import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "pintle/kinds/networking/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { networkPolicyPrinter } from "../../printers/others.ts";
import { validateCidr } from "../../validation/ip-address.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import { validatePortName, validatePortNumber } from "../../validation/names.ts";
import { createInvalidErrors, type FieldErrors, validateEnum } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const networkPolicyStrategy = defineStrategy<NetworkPolicy>({
  validate: function* ({ spec }) {
    yield* validateLabelSelector("spec.podSelector", spec?.podSelector);
    for (const [i, rule] of (spec?.ingress ?? []).entries())
      yield* validateTrafficRule(`spec.ingress[${i}]`, rule.ports, "from", rule.from);
    for (const [i, rule] of (spec?.egress ?? []).entries()) yield* validateTrafficRule(`spec.egress[${i}]`, rule.ports, "to", rule.to);
    const types = spec?.policyTypes ?? [];
    if (types.length > 2) return yield fieldError.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
    for (const [i, type] of types.entries()) yield* validateEnum(`spec.policyTypes[${i}]`, type, ["Ingress", "Egress"]);
  },
  tablePrinter: networkPolicyPrinter,
});

type Ports = readonly Unvalidated<NetworkPolicyPort>[] | null | undefined;
type Peers = readonly Unvalidated<NetworkPolicyPeer>[] | null | undefined;

function* validateTrafficRule(field: string, ports: Ports, name: string, peers: Peers): FieldErrors {
  for (const [i, port] of (ports ?? []).entries()) yield* validatePolicyPort(`${field}.ports[${i}]`, port);
  for (const [i, peer] of (peers ?? []).entries()) yield* validatePolicyPeer(`${field}.${name}[${i}]`, peer);
}

function* validatePolicyPort(field: string, { protocol, port, endPort }: Unvalidated<NetworkPolicyPort>): FieldErrors {
  yield* validateEnum(`${field}.protocol`, protocol, ["TCP", "UDP", "SCTP"]);
  if (typeof port === "number") {
    yield* createInvalidErrors(`${field}.port`, port, validatePortNumber(port));
    if (endPort == null) return;
    if (endPort < port) yield fieldError.invalid(`${field}.endPort`, port, "must be greater than or equal to `port`");
    yield* createInvalidErrors(`${field}.endPort`, endPort, validatePortNumber(endPort));
  } else if (typeof port === "string") {
    if (endPort != null) yield fieldError.invalid(`${field}.endPort`, endPort, "may not be specified when `port` is non-numeric");
    yield* createInvalidErrors(`${field}.port`, port, validatePortName(port));
  } else if (endPort != null) yield fieldError.invalid(`${field}.endPort`, endPort, "may not be specified when `port` is not specified");
}

function* validatePolicyPeer(field: string, { podSelector, namespaceSelector, ipBlock }: Unvalidated<NetworkPolicyPeer>): FieldErrors {
  yield* validateLabelSelector(`${field}.podSelector`, podSelector);
  yield* validateLabelSelector(`${field}.namespaceSelector`, namespaceSelector);
  if (ipBlock) {
    if (!ipBlock.cidr) yield fieldError.required(`${field}.ipBlock.cidr`);
    else yield* createInvalidErrors(`${field}.ipBlock.cidr`, ipBlock.cidr, validateCidr(ipBlock.cidr));
    for (const [i, cidr] of (ipBlock.except ?? []).entries())
      yield* createInvalidErrors(`${field}.ipBlock.except[${i}]`, cidr, validateCidr(cidr));
  }
  if (!podSelector && !namespaceSelector && !ipBlock) yield fieldError.required(field, "must specify a peer");
  else if (ipBlock && (podSelector || namespaceSelector))
    yield fieldError.forbidden(field, "may not specify both ipBlock and another peer");
}
