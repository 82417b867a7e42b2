import { isIPv6 } from "node:net";
import type { Service } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { same } from "../validate/problems.ts";
import { clusterIpProblems } from "./service-validation.ts";

type Spec = NonNullable<Draft<Service>["spec"]>;
type LooseSpec = NonNullable<Loose<Service>["spec"]>;

const SINGLE = "SingleStack";

/** Fills in which IP families a service is for, in a cluster that speaks IPv4 only. Answers with what makes no sense. */
export function setFamilies(spec: Spec, was: LooseSpec | undefined): readonly FieldError[] {
  if (spec.type === "ExternalName") return [];
  const anywhere = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= was?.ipFamilyPolicy ?? (anywhere ? "RequireDualStack" : SINGLE);
  const problems = [...clusterIpProblems(spec as LooseSpec)];
  if (problems.length === 0 && was !== undefined) problems.push(...shrink(spec, was));
  if (problems.length === 0) problems.push(...tooMany(spec));
  if (problems.length > 0) return problems;
  inferFamilies(spec);
  if (anywhere) {
    // Whoever keeps such a service's endpoints may know of families that this cluster does not.
    if (!spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
    if (spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== SINGLE) {
      spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
    }
    return [];
  }
  const foreign = unknownFamilies(spec);
  if (foreign.length === 0 && !spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
  return foreign;
}

/** A service gives up its second address or family only when it says that it means one. */
function shrink(spec: Spec, was: LooseSpec): readonly FieldError[] {
  if (spec.ipFamilyPolicy === SINGLE) {
    for (const list of ["clusterIPs", "ipFamilies"] as const) {
      const values = spec[list];
      if (values && values.length > 1 && same(values, was[list])) spec[list] = values.slice(0, 1);
    }
    return [];
  }
  const reduced = (list: "clusterIPs" | "ipFamilies") => {
    const [now, before] = [spec[list]?.length ?? 0, was[list]?.length ?? 0];
    return now > 0 && now < before;
  };
  const must = (what: string) =>
    fieldError.invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [...(reduced("clusterIPs") ? [must("cluster IP")] : []), ...(reduced("ipFamilies") ? [must("IP family")] : [])];
}

function tooMany({ ipFamilyPolicy, clusterIPs, ipFamilies }: Spec): readonly FieldError[] {
  if (ipFamilyPolicy !== SINGLE) return [];
  const must = (what: string) =>
    fieldError.invalid(
      "spec.ipFamilyPolicy",
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [...(clusterIPs?.length === 2 ? [must("cluster IPs")] : []), ...(ipFamilies?.length === 2 ? [must("IP families")] : [])];
}

function inferFamilies(spec: Spec): void {
  if (spec.clusterIP === "None") return;
  const known = spec.ipFamilies ?? [];
  const more = (spec.clusterIPs ?? []).slice(known.length).map((ip) => (isIPv6(ip) ? "IPv6" : "IPv4"));
  if (more.length > 0) spec.ipFamilies = [...known, ...more];
}

function unknownFamilies({ ipFamilyPolicy, ipFamilies }: Spec): readonly FieldError[] {
  const dual = fieldError.invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "this cluster is not configured for dual-stack services");
  return [
    ...(ipFamilyPolicy === "RequireDualStack" ? [dual] : []),
    ...(ipFamilies ?? []).flatMap((family, i) =>
      family === "IPv4" ? [] : [fieldError.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster")],
    ),
  ];
}
