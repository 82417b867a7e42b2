import type { IPAddress, ServiceCIDR } from "pintle/kinds/networking/v1";
import { fieldError, validatePathSegment } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { ipAddressPrinter, serviceCidrPrinter } from "../../printers/others.ts";
import { validateCanonicalIp, validateCidr } from "../../validation/ip-address.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  printInternal,
  validateDnsSubdomainField,
  validateImmutableField,
  validateRequired,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const ipAddressStrategy = defineStrategy<IPAddress>({
  validateName: (name) => validateCanonicalIp(name),
  validate: ({ spec }) => validateParentReference("spec.parentRef", spec?.parentRef),
  validateUpdate: function* (object, live) {
    yield* validateParentReference("spec.parentRef", object.spec?.parentRef);
    yield* validateImmutableField("spec.parentRef", object.spec?.parentRef, live.spec?.parentRef);
  },
  tablePrinter: ipAddressPrinter,
});

function* validateParentReference(field: string, parent: NonNullable<Unvalidated<IPAddress>["spec"]>["parentRef"]): FieldErrors {
  if (!parent) return yield fieldError.required(field);
  if (parent.group) yield* validateDnsSubdomainField(`${field}.group`, parent.group);
  for (const name of ["resource", "name"] as const) {
    yield* validateRequired(`${field}.${name}`, parent[name]);
    if (parent[name]) yield* createInvalidErrors(`${field}.${name}`, parent[name], validatePathSegment(parent[name]));
  }
  if (parent.namespace) yield* createInvalidErrors(`${field}.namespace`, parent.namespace, validatePathSegment(parent.namespace));
}

export const serviceCidrStrategy = defineStrategy<ServiceCIDR>({
  validate: validateRanges,
  validateUpdate: function* (object, live) {
    const now = object.spec?.cidrs ?? [];
    const was = live.spec?.cidrs ?? [];
    const grows = was.length === 1 && now.length === 2;
    if (now.length !== was.length && !grows) return yield* validateImmutableField("spec.cidrs", now, was);
    for (const [i, range] of was.entries()) yield* validateImmutableField(`spec.cidrs[${i}]`, now[i], range);
    if (grows) yield* validateRanges(object);
  },
  tablePrinter: serviceCidrPrinter,
});

function* validateRanges({ spec }: Unvalidated<ServiceCIDR>): FieldErrors {
  const ranges = spec?.cidrs ?? [];
  if (ranges.length === 0) return yield fieldError.required("spec.cidrs", "at least one CIDR required");
  if (ranges.length > 2) {
    return yield fieldError.invalid("spec.cidrs", printInternal({ CIDRs: ranges }), "may only hold up to 2 values");
  }
  for (const [i, range] of ranges.entries()) yield* createInvalidErrors(`spec.cidrs[${i}]`, range, validateCidr(range));
  const isSixth = ranges.map((range) => range.includes(":"));
  if (ranges.length === 2 && isSixth[0] === isSixth[1] && ranges.every((range) => validateCidr(range).length === 0)) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    yield fieldError.invalid("spec.cidrs", ranges, why);
  }
}
