import type { EndpointAddress, EndpointPort, Endpoints } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { endpointsTable } from "../table/core.ts";
import { endpointIpProblems, ipProblems } from "../text/addresses.ts";
import { portNumberProblems } from "../text/names.ts";
import { dnsLabel, dnsSubdomain, invalidFor, ipAddress, oneOf, type Problems, qualifiedName, same } from "../validate/problems.ts";

export const endpoints = rules<Endpoints>({
  validate: validateSubsets,
  // What did not change may be what was once allowed.
  validateUpdate: (object, live) => (same(object.subsets, live.subsets) ? [] : validateSubsets(object)),
  table: endpointsTable,
});

function* validateSubsets({ subsets }: Loose<Endpoints>): Problems {
  for (const [i, { addresses, notReadyAddresses, ports }] of (subsets ?? []).entries()) {
    const at = `subsets[${i}]`;
    if (!addresses?.length && !notReadyAddresses?.length) {
      yield fieldError.required(at, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const [j, address] of (addresses ?? []).entries()) yield* addressProblems(`${at}.addresses[${j}]`, address);
    for (const [j, address] of (notReadyAddresses ?? []).entries()) yield* addressProblems(`${at}.notReadyAddresses[${j}]`, address);
    for (const [j, port] of (ports ?? []).entries()) yield* portProblems(`${at}.ports[${j}]`, port, ports!.length > 1);
  }
}

function* addressProblems(field: string, { ip, hostname, nodeName }: Loose<EndpointAddress>): Problems {
  yield* ipAddress(`${field}.ip`, ip ?? "");
  if (hostname) yield* dnsLabel(`${field}.hostname`, hostname);
  if (nodeName != null) yield* dnsSubdomain(`${field}.nodeName`, nodeName);
  const unreadable = ipProblems(ip ?? "").length > 0;
  yield* invalidFor(`${field}.ip`, ip ?? "", unreadable ? ["must be a valid IP address"] : endpointIpProblems(ip!));
}

function* portProblems(field: string, { name, port, protocol, appProtocol }: Loose<EndpointPort>, isOneOfMany: boolean): Problems {
  if (name) yield* dnsLabel(`${field}.name`, name);
  else if (isOneOfMany) yield fieldError.required(`${field}.name`);
  yield* invalidFor(`${field}.port`, port ?? 0, portNumberProblems(port ?? 0));
  yield* oneOf(`${field}.protocol`, protocol, ["SCTP", "TCP", "UDP"]);
  if (appProtocol != null) yield* qualifiedName(`${field}.appProtocol`, appProtocol);
}
