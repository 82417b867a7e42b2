import type { EndpointAddress, EndpointPort, Endpoints } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { endpointsPrinter } from "../../printers/core.ts";
import { validateEndpointIp, validateIp } from "../../validation/ip-address.ts";
import { validatePortNumber } from "../../validation/names.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  isSemanticallyEqual,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateIpAddressField,
  validateQualifiedNameField,
  validateRequiredEnum,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const endpointsStrategy = defineStrategy<Endpoints>({
  validate: validateSubsets,
  // Unchanged subsets are not validated again.
  validateUpdate: (object, live) => (isSemanticallyEqual(object.subsets, live.subsets) ? [] : validateSubsets(object)),
  tablePrinter: endpointsPrinter,
});

function* validateSubsets({ subsets }: Unvalidated<Endpoints>): FieldErrors {
  for (const [i, { addresses, notReadyAddresses, ports }] of (subsets ?? []).entries()) {
    const at = `subsets[${i}]`;
    if (!addresses?.length && !notReadyAddresses?.length) {
      yield fieldError.required(at, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const [j, address] of (addresses ?? []).entries()) yield* validateEndpointAddress(`${at}.addresses[${j}]`, address);
    for (const [j, address] of (notReadyAddresses ?? []).entries())
      yield* validateEndpointAddress(`${at}.notReadyAddresses[${j}]`, address);
    for (const [j, port] of (ports ?? []).entries()) yield* validateEndpointPort(`${at}.ports[${j}]`, port, ports!.length > 1);
  }
}

function* validateEndpointAddress(field: string, { ip, hostname, nodeName }: Unvalidated<EndpointAddress>): FieldErrors {
  yield* validateIpAddressField(`${field}.ip`, ip ?? "");
  if (hostname) yield* validateDnsLabelField(`${field}.hostname`, hostname);
  if (nodeName != null) yield* validateDnsSubdomainField(`${field}.nodeName`, nodeName);
  const unreadable = validateIp(ip ?? "").length > 0;
  yield* createInvalidErrors(`${field}.ip`, ip ?? "", unreadable ? ["must be a valid IP address"] : validateEndpointIp(ip!));
}

function* validateEndpointPort(
  field: string,
  { name, port, protocol, appProtocol }: Unvalidated<EndpointPort>,
  isOneOfMany: boolean,
): FieldErrors {
  if (name) yield* validateDnsLabelField(`${field}.name`, name);
  else if (isOneOfMany) yield fieldError.required(`${field}.name`);
  yield* createInvalidErrors(`${field}.port`, port ?? 0, validatePortNumber(port ?? 0));
  yield* validateRequiredEnum(`${field}.protocol`, protocol, ["SCTP", "TCP", "UDP"]);
  if (appProtocol != null) yield* validateQualifiedNameField(`${field}.appProtocol`, appProtocol);
}
