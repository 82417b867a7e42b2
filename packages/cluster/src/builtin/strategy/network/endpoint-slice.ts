import { isIPv4, isIPv6 } from "node:net";
import { isJsonEqual } from "pintle/internal/merge";
import type { EndpointSlice } from "pintle/kinds/discovery/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { endpointSlicePrinter } from "../../printers/others.ts";
import { validateEndpointIp, validateIp } from "../../validation/ip-address.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  isSemanticallyEqual,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateEnum,
  validateImmutableField,
  validateQualifiedNameField,
  validateRequiredEnum,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const getLabels = (object: object) => ((object as Unvalidated<EndpointSlice>).metadata?.labels ?? {}) as never;
const getContent = ({ metadata: _, ...rest }: Readonly<Record<string, unknown>>) => rest as never;

export const endpointSliceStrategy = defineStrategy<EndpointSlice>({
  generation: (next, live) => !isJsonEqual(getContent(next), getContent(live)) || !isJsonEqual(getLabels(next), getLabels(live)),
  validate: validateSlice,
  validateUpdate: function* (object, live) {
    // Unchanged endpoints are not validated again.
    const { endpoints, ...rest } = object;
    yield* validateSlice(isSemanticallyEqual(endpoints, live.endpoints) ? rest : object);
    yield* validateImmutableField("addressType", object.addressType, live.addressType);
  },
  tablePrinter: endpointSlicePrinter,
});

function* validateSlice({ addressType, ports, endpoints }: Unvalidated<EndpointSlice>): FieldErrors {
  yield* validateRequiredEnum("addressType", addressType, ["FQDN", "IPv4", "IPv6"]);
  const names = new Set<string>();
  for (const [i, port] of (ports ?? []).entries()) {
    const at = `ports[${i}]`;
    if (port.name) yield* validateDnsLabelField(`${at}.name`, port.name);
    if (names.has(port.name ?? "")) yield fieldError.duplicate(`${at}.name`, port.name ?? "");
    names.add(port.name ?? "");
    if (port.protocol == null) yield fieldError.required(`${at}.protocol`);
    else yield* validateEnum(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
    if (port.appProtocol != null) yield* validateQualifiedNameField(`${at}.appProtocol`, port.appProtocol);
  }
  for (const [i, endpoint] of (endpoints ?? []).entries()) {
    const at = `endpoints[${i}]`;
    if (!endpoint.addresses?.length) yield fieldError.required(`${at}.addresses`, "must contain at least 1 address");
    for (const [j, address] of (endpoint.addresses ?? []).entries()) {
      yield* validateEndpointAddress(`${at}.addresses`, j, address, addressType ?? "");
    }
    if (endpoint.nodeName != null) yield* validateDnsSubdomainField(`${at}.nodeName`, endpoint.nodeName);
    if (endpoint.hostname != null) yield* validateDnsLabelField(`${at}.hostname`, endpoint.hostname);
  }
}

function* validateEndpointAddress(field: string, index: number, address: string, type: string): FieldErrors {
  if (type !== "IPv4" && type !== "IPv6") return;
  const problems = validateIp(address);
  if (problems.length > 0) return yield* createInvalidErrors(`${field}[${index}]`, address, problems);
  if (type === "IPv4" ? !isIPv4(address) : !isIPv6(address)) yield fieldError.invalid(field, address, `must be an ${type} address`);
  yield* createInvalidErrors(`${field}[${index}]`, address, validateEndpointIp(address));
}
