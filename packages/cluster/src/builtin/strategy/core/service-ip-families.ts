import { isIPv6 } from "node:net";
import type { Service } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { isSemanticallyEqual } from "../../validation/validators.ts";
import { validateClusterIps } from "./service-validation.ts";

type ServiceSpecDraft = NonNullable<Draft<Service>["spec"]>;
type UnvalidatedServiceSpec = NonNullable<Unvalidated<Service>["spec"]>;

const SINGLE_STACK = "SingleStack";

/** Sets ipFamilies and ipFamilyPolicy of a service in a cluster with IPv4 only. Returns the errors. */
export function defaultIpFamilies(spec: ServiceSpecDraft, was: UnvalidatedServiceSpec | undefined): readonly FieldError[] {
  if (spec.type === "ExternalName") return [];
  const isHeadlessWithoutSelector = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= was?.ipFamilyPolicy ?? (isHeadlessWithoutSelector ? "RequireDualStack" : SINGLE_STACK);
  const problems = [...validateClusterIps(spec as UnvalidatedServiceSpec)];
  if (problems.length === 0 && was !== undefined) problems.push(...releaseSecondaryFamilies(spec, was));
  if (problems.length === 0) problems.push(...validateSingleStack(spec));
  if (problems.length > 0) return problems;
  inferFamilies(spec);
  if (isHeadlessWithoutSelector) {
    // Endpoints of such a service are managed elsewhere and may use families that this cluster does not support.
    if (!spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
    if (spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== SINGLE_STACK) {
      spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
    }
    return [];
  }
  const unsupported = validateConfiguredFamilies(spec);
  if (unsupported.length === 0 && !spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
  return unsupported;
}

/** Requires ipFamilyPolicy=SingleStack in order to release the secondary address or family. */
function releaseSecondaryFamilies(spec: ServiceSpecDraft, was: UnvalidatedServiceSpec): readonly FieldError[] {
  if (spec.ipFamilyPolicy === SINGLE_STACK) {
    for (const list of ["clusterIPs", "ipFamilies"] as const) {
      const values = spec[list];
      if (values && values.length > 1 && isSemanticallyEqual(values, was[list])) spec[list] = values.slice(0, 1);
    }
    return [];
  }
  const isReduced = (list: "clusterIPs" | "ipFamilies") => {
    const [now, before] = [spec[list]?.length ?? 0, was[list]?.length ?? 0];
    return now > 0 && now < before;
  };
  const policyError = (what: string) =>
    fieldError.invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [...(isReduced("clusterIPs") ? [policyError("cluster IP")] : []), ...(isReduced("ipFamilies") ? [policyError("IP family")] : [])];
}

function validateSingleStack({ ipFamilyPolicy, clusterIPs, ipFamilies }: ServiceSpecDraft): readonly FieldError[] {
  if (ipFamilyPolicy !== SINGLE_STACK) return [];
  const must = (what: string) =>
    fieldError.invalid(
      "spec.ipFamilyPolicy",
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [...(clusterIPs?.length === 2 ? [must("cluster IPs")] : []), ...(ipFamilies?.length === 2 ? [must("IP families")] : [])];
}

function inferFamilies(spec: ServiceSpecDraft): void {
  if (spec.clusterIP === "None") return;
  const known = spec.ipFamilies ?? [];
  const more = (spec.clusterIPs ?? []).slice(known.length).map((ip) => (isIPv6(ip) ? "IPv6" : "IPv4"));
  if (more.length > 0) spec.ipFamilies = [...known, ...more];
}

function validateConfiguredFamilies({ ipFamilyPolicy, ipFamilies }: ServiceSpecDraft): readonly FieldError[] {
  const dual = fieldError.invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "this cluster is not configured for dual-stack services");
  return [
    ...(ipFamilyPolicy === "RequireDualStack" ? [dual] : []),
    ...(ipFamilies ?? []).flatMap((family, i) =>
      family === "IPv4" ? [] : [fieldError.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster")],
    ),
  ];
}
