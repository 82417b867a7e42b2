import { isIPv4, isIPv6 } from "node:net";
import type { EndpointSlice } from "pintle/kinds/discovery/v1";
import { equal } from "pintle/merge";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { endpointSliceTable } from "../table/others.ts";
import { endpointIpProblems, ipProblems } from "../text/addresses.ts";
import {
  dnsLabel,
  dnsSubdomain,
  immutable,
  invalidFor,
  maybeOneOf,
  oneOf,
  type Problems,
  qualifiedName,
  same,
} from "../validate/problems.ts";

const labelsOf = (object: object) => ((object as Loose<EndpointSlice>).metadata?.labels ?? {}) as never;
const content = ({ metadata: _, ...rest }: Readonly<Record<string, unknown>>) => rest as never;

export const endpointSlice = rules<EndpointSlice>({
  generation: (next, live) => !equal(content(next), content(live)) || !equal(labelsOf(next), labelsOf(live)),
  validate: validateSlice,
  validateUpdate: function* (object, live) {
    // Endpoints that did not change may be what was once allowed.
    const { endpoints, ...rest } = object;
    yield* validateSlice(same(endpoints, live.endpoints) ? rest : object);
    yield* immutable("addressType", object.addressType, live.addressType);
  },
  table: endpointSliceTable,
});

function* validateSlice({ addressType, ports, endpoints }: Loose<EndpointSlice>): Problems {
  yield* oneOf("addressType", addressType, ["FQDN", "IPv4", "IPv6"]);
  const names = new Set<string>();
  for (const [i, port] of (ports ?? []).entries()) {
    const at = `ports[${i}]`;
    if (port.name) yield* dnsLabel(`${at}.name`, port.name);
    if (names.has(port.name ?? "")) yield fieldError.duplicate(`${at}.name`, port.name ?? "");
    names.add(port.name ?? "");
    if (port.protocol == null) yield fieldError.required(`${at}.protocol`);
    else yield* maybeOneOf(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
    if (port.appProtocol != null) yield* qualifiedName(`${at}.appProtocol`, port.appProtocol);
  }
  for (const [i, endpoint] of (endpoints ?? []).entries()) {
    const at = `endpoints[${i}]`;
    if (!endpoint.addresses?.length) yield fieldError.required(`${at}.addresses`, "must contain at least 1 address");
    for (const [j, address] of (endpoint.addresses ?? []).entries()) {
      yield* addressOf(`${at}.addresses`, j, address, addressType ?? "");
    }
    if (endpoint.nodeName != null) yield* dnsSubdomain(`${at}.nodeName`, endpoint.nodeName);
    if (endpoint.hostname != null) yield* dnsLabel(`${at}.hostname`, endpoint.hostname);
  }
}

function* addressOf(field: string, index: number, address: string, type: string): Problems {
  if (type !== "IPv4" && type !== "IPv6") return;
  const problems = ipProblems(address);
  if (problems.length > 0) return yield* invalidFor(`${field}[${index}]`, address, problems);
  if (type === "IPv4" ? !isIPv4(address) : !isIPv6(address)) yield fieldError.invalid(field, address, `must be an ${type} address`);
  yield* invalidFor(`${field}[${index}]`, address, endpointIpProblems(address));
}
