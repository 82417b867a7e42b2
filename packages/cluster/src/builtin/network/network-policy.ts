import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "pintle/kinds/networking/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { networkPolicyTable } from "../table/others.ts";
import { cidrProblems } from "../text/addresses.ts";
import { portNameProblems, portNumberProblems } from "../text/names.ts";
import { labelSelector } from "../validate/labels.ts";
import { invalidFor, maybeOneOf, type Problems } from "../validate/problems.ts";

export const networkPolicy = rules<NetworkPolicy>({
  validate: function* ({ spec }) {
    yield* labelSelector("spec.podSelector", spec?.podSelector);
    for (const [i, rule] of (spec?.ingress ?? []).entries()) yield* trafficRule(`spec.ingress[${i}]`, rule.ports, "from", rule.from);
    for (const [i, rule] of (spec?.egress ?? []).entries()) yield* trafficRule(`spec.egress[${i}]`, rule.ports, "to", rule.to);
    const types = spec?.policyTypes ?? [];
    if (types.length > 2) return yield fieldError.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
    for (const [i, type] of types.entries()) yield* maybeOneOf(`spec.policyTypes[${i}]`, type, ["Ingress", "Egress"]);
  },
  table: networkPolicyTable,
});

type Ports = readonly Loose<NetworkPolicyPort>[] | null | undefined;
type Peers = readonly Loose<NetworkPolicyPeer>[] | null | undefined;

function* trafficRule(field: string, ports: Ports, name: string, peers: Peers): Problems {
  for (const [i, port] of (ports ?? []).entries()) yield* policyPort(`${field}.ports[${i}]`, port);
  for (const [i, peer] of (peers ?? []).entries()) yield* policyPeer(`${field}.${name}[${i}]`, peer);
}

function* policyPort(field: string, { protocol, port, endPort }: Loose<NetworkPolicyPort>): Problems {
  yield* maybeOneOf(`${field}.protocol`, protocol, ["TCP", "UDP", "SCTP"]);
  if (typeof port === "number") {
    yield* invalidFor(`${field}.port`, port, portNumberProblems(port));
    if (endPort == null) return;
    if (endPort < port) yield fieldError.invalid(`${field}.endPort`, port, "must be greater than or equal to `port`");
    yield* invalidFor(`${field}.endPort`, endPort, portNumberProblems(endPort));
  } else if (typeof port === "string") {
    if (endPort != null) yield fieldError.invalid(`${field}.endPort`, endPort, "may not be specified when `port` is non-numeric");
    yield* invalidFor(`${field}.port`, port, portNameProblems(port));
  } else if (endPort != null) yield fieldError.invalid(`${field}.endPort`, endPort, "may not be specified when `port` is not specified");
}

function* policyPeer(field: string, { podSelector, namespaceSelector, ipBlock }: Loose<NetworkPolicyPeer>): Problems {
  yield* labelSelector(`${field}.podSelector`, podSelector);
  yield* labelSelector(`${field}.namespaceSelector`, namespaceSelector);
  if (ipBlock) {
    if (!ipBlock.cidr) yield fieldError.required(`${field}.ipBlock.cidr`);
    else yield* invalidFor(`${field}.ipBlock.cidr`, ipBlock.cidr, cidrProblems(ipBlock.cidr));
    for (const [i, cidr] of (ipBlock.except ?? []).entries()) yield* invalidFor(`${field}.ipBlock.except[${i}]`, cidr, cidrProblems(cidr));
  }
  if (!podSelector && !namespaceSelector && !ipBlock) yield fieldError.required(field, "must specify a peer");
  else if (ipBlock && (podSelector || namespaceSelector))
    yield fieldError.forbidden(field, "may not specify both ipBlock and another peer");
}
