import type { IPAddress, ServiceCIDR } from "pintle/kinds/networking/v1";
import { fieldError, pathSegmentProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { ipAddressTable, serviceCidrTable } from "../table/others.ts";
import { canonicalIpProblems, cidrProblems } from "../text/addresses.ts";
import { dnsSubdomain, immutable, inner, invalidFor, type Problems, required } from "../validate/problems.ts";

export const ipAddress = rules<IPAddress>({
  name: (name) => canonicalIpProblems(name),
  validate: ({ spec }) => parentReference("spec.parentRef", spec?.parentRef),
  validateUpdate: function* (object, live) {
    yield* parentReference("spec.parentRef", object.spec?.parentRef);
    yield* immutable("spec.parentRef", object.spec?.parentRef, live.spec?.parentRef);
  },
  table: ipAddressTable,
});

function* parentReference(field: string, parent: NonNullable<Loose<IPAddress>["spec"]>["parentRef"]): Problems {
  if (!parent) return yield fieldError.required(field);
  if (parent.group) yield* dnsSubdomain(`${field}.group`, parent.group);
  for (const name of ["resource", "name"] as const) {
    yield* required(`${field}.${name}`, parent[name]);
    if (parent[name]) yield* invalidFor(`${field}.${name}`, parent[name], pathSegmentProblems(parent[name]));
  }
  if (parent.namespace) yield* invalidFor(`${field}.namespace`, parent.namespace, pathSegmentProblems(parent.namespace));
}

export const serviceCidr = rules<ServiceCIDR>({
  validate: validateRanges,
  validateUpdate: function* (object, live) {
    const now = object.spec?.cidrs ?? [];
    const was = live.spec?.cidrs ?? [];
    const grows = was.length === 1 && now.length === 2;
    if (now.length !== was.length && !grows) return yield* immutable("spec.cidrs", now, was);
    for (const [i, range] of was.entries()) yield* immutable(`spec.cidrs[${i}]`, now[i], range);
    if (grows) yield* validateRanges(object);
  },
  table: serviceCidrTable,
});

function* validateRanges({ spec }: Loose<ServiceCIDR>): Problems {
  const ranges = spec?.cidrs ?? [];
  if (ranges.length === 0) return yield fieldError.required("spec.cidrs", "at least one CIDR required");
  if (ranges.length > 2) {
    return yield fieldError.invalid("spec.cidrs", inner({ CIDRs: ranges }), "may only hold up to 2 values");
  }
  for (const [i, range] of ranges.entries()) yield* invalidFor(`spec.cidrs[${i}]`, range, cidrProblems(range));
  const isSixth = ranges.map((range) => range.includes(":"));
  if (ranges.length === 2 && isSixth[0] === isSixth[1] && ranges.every((range) => cidrProblems(range).length === 0)) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    yield fieldError.invalid("spec.cidrs", ranges, why);
  }
}
