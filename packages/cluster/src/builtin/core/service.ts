import type { Service, ServicePort } from "pintle/kinds/core/v1";
import { equal } from "pintle/merge";
import { labelName } from "../../api/index.ts";
import { type FieldError, fieldError, invalid } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { type KindRules, rules } from "../rules.ts";
import { serviceTable } from "../table/core.ts";
import { ipProblems as addressProblems } from "../text/addresses.ts";
import { dnsSubdomain, invalidFor, type Problems } from "../validate/problems.ts";
import { keyOf, type ServiceAddresses } from "./service-addresses.ts";
import { setFamilies } from "./service-families.ts";
import { validateService, validateServiceUpdate } from "./service-validation.ts";

type Spec = NonNullable<Draft<Service>["spec"]>;
type LooseSpec = NonNullable<Loose<Service>["spec"]>;

const NONE = "None";
const needsIp = ({ type }: LooseSpec) => type !== "ExternalName";
const isHeadless = ({ clusterIP }: LooseSpec) => clusterIP === NONE;
const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: LooseSpec) =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
const mayHaveNodePorts = ({ type }: LooseSpec) => type === "NodePort" || type === "LoadBalancer";
const needsHealthCheck = ({ type, externalTrafficPolicy }: LooseSpec) => type === "LoadBalancer" && externalTrafficPolicy === "Local";
const isOpenOutside = ({ type, externalIPs }: LooseSpec) =>
  type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !!externalIPs?.length);

/** Services, with addresses from what is free. */
export function serviceRules(addresses: ServiceAddresses): KindRules<any> {
  return rules<Service>({
    connections: ["proxy"],
    prepareCreate(draft) {
      draft.spec ??= {};
      const { spec } = draft;
      if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
      allocate(draft, undefined, addresses);
    },
    prepareUpdate(draft, live) {
      draft.spec ??= {};
      const { spec } = draft;
      const was = live.spec ?? {};
      keepAllocated(spec, was);
      allocate(draft, was, addresses);
      dropForeign(draft, was);
    },
    name: labelName,
    validate: validateService,
    validateUpdate: validateServiceUpdate,
    warnings: serviceWarnings,
    status: { validate: balancerStatus },
    table: serviceTable,
    selectableFields: { "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "", "spec.type": ({ spec }) => spec?.type ?? "" },
  });
}

/** Gives what is missing, unless something about what was asked for is wrong: the server says the first thing only. */
function allocate(draft: Draft<Service>, was: LooseSpec | undefined, addresses: ServiceAddresses): void {
  const spec = draft.spec!;
  const key = keyOf(draft as Loose<Service>);
  refuse(draft, setFamilies(spec, was));
  if (needsIp(spec) && !isHeadless(spec)) {
    const [ip] = spec.clusterIPs ?? [];
    if (!ip) spec.clusterIPs = [addresses.freeIp()];
    else if (ip !== was?.clusterIPs?.[0]) refuse(draft, ipProblems(ip, spec, key, addresses));
    spec.clusterIP ||= spec.clusterIPs?.[0];
  }
  if (mayHaveNodePorts(spec)) refuse(draft, setNodePorts(spec, key, addresses).slice(0, 1));
  if (needsHealthCheck(spec)) spec.healthCheckNodePort ||= addresses.freePort(portsOf(spec));
}

function refuse({ metadata }: Draft<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "", resource: "Service" }, metadata?.name ?? "", errors);
}

function ipProblems(ip: string, { clusterIPs }: Spec, key: string, addresses: ServiceAddresses): readonly FieldError[] {
  const owner = addresses.ownerOfIp(ip);
  const range = "the provided network does not match the current range";
  const why = !addresses.isInRange(ip) ? range : owner !== undefined && owner !== key ? "provided IP is already allocated" : undefined;
  return why === undefined ? [] : [fieldError.invalid("spec.clusterIPs", clusterIPs, `failed to allocate IP ${ip}: ${why}`)];
}

/** Ports of one number share a node port, whatever their protocol. */
function setNodePorts(spec: Spec, key: string, addresses: ServiceAddresses): readonly FieldError[] {
  const errors: FieldError[] = [];
  const given = new Map<number, number>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort) {
      const why = portProblem(port.nodePort, key, addresses);
      if (why !== undefined) errors.push(fieldError.invalid(`spec.ports[${index}].nodePort`, port.nodePort, why));
    } else if (needsNodePorts(spec))
      port.nodePort = given.get(port.port ?? 0) ?? wantedPort(port, spec) ?? addresses.freePort(portsOf(spec));
    if (port.nodePort) given.set(port.port ?? 0, port.nodePort);
  }
  return errors;
}

const portsOf = ({ ports }: Spec) => new Set((ports ?? []).map(({ nodePort }) => nodePort ?? 0));

function portProblem(port: number, key: string, addresses: ServiceAddresses): string | undefined {
  const { first, last } = addresses.nodePorts;
  if (port < first || port > last) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  const owner = addresses.ownerOfPort(port);
  return owner === undefined || owner === key ? undefined : "provided port is already allocated";
}

function wantedPort({ port }: Draft<ServicePort>, { ports }: Spec): number | undefined {
  return ports?.find((other) => other.port === port && other.nodePort)?.nodePort ?? undefined;
}

/** Who sends the same manifest again means the same addresses. */
function keepAllocated(spec: Spec, was: LooseSpec): void {
  if (needsIp(was) && needsIp(spec)) {
    spec.clusterIP ||= was.clusterIP;
    if (!spec.clusterIPs?.length && was.clusterIPs?.length) spec.clusterIPs = [...was.clusterIPs];
  }
  if (needsNodePorts(was) && needsNodePorts(spec)) {
    const kept = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    const byName = new Map((was.ports ?? []).map(({ name, nodePort }) => [name ?? "", nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? "");
      if (!port.nodePort && before && !kept.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthCheck(was) && needsHealthCheck(spec)) spec.healthCheckNodePort ||= was.healthCheckNodePort;
  syncClusterIps(spec, was);
}

/** clusterIP is the older name of clusterIPs[0]: whichever the client changed is meant. */
function syncClusterIps(spec: Spec, was: LooseSpec): void {
  if ((spec.clusterIP ?? "") === (was.clusterIP ?? "") || !equal((spec.clusterIPs ?? []) as never, (was.clusterIPs ?? []) as never)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** A change of type takes away what the old type had, unless the client changed that as well. */
function dropForeign({ spec, status }: Draft<Service>, was: LooseSpec): void {
  if (!spec) return;
  const same = (field: keyof Spec) => equal((spec[field] ?? null) as never, (was[field] ?? null) as never);
  if (needsIp(was) && !needsIp(spec)) {
    if (same("clusterIP") && same("clusterIPs")) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (same("internalTrafficPolicy")) delete spec.internalTrafficPolicy;
    if (same("ipFamilies")) delete spec.ipFamilies;
    if (same("ipFamilyPolicy")) delete spec.ipFamilyPolicy;
  }
  const before = new Set(was.ports?.map(({ nodePort }) => nodePort));
  const noNewPorts = (spec.ports ?? []).every(({ nodePort }) => !nodePort || before.has(nodePort));
  if (mayHaveNodePorts(was) && !mayHaveNodePorts(spec) && noNewPorts) for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheck(was) && !needsHealthCheck(spec) && same("healthCheckNodePort")) delete spec.healthCheckNodePort;
  if (was.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (same("allocateLoadBalancerNodePorts")) delete spec.allocateLoadBalancerNodePorts;
    if (same("loadBalancerClass")) delete spec.loadBalancerClass;
  }
  if (isOpenOutside(was) && !isOpenOutside(spec) && same("externalTrafficPolicy")) delete spec.externalTrafficPolicy;
  if (spec.type !== "LoadBalancer" && status) status.loadBalancer = {};
}

function serviceWarnings({ spec }: Loose<Service>): readonly string[] {
  const headless = spec?.clusterIP === NONE;
  const external = !!spec?.externalIPs?.length;
  const named = spec?.type === "ExternalName";
  return [
    ...(headless && external ? ["spec.externalIPs is ignored for headless services"] : []),
    ...(headless && spec?.sessionAffinity !== "None" ? ["spec.SessionAffinity is ignored for headless services"] : []),
    ...(external && !headless && !named ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"] : []),
    ...(external && named ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(spec?.externalName && !named ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(spec?.trafficDistribution === "PreferClose" ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'] : []),
  ];
}

function* balancerStatus({ status }: Loose<Service>): Problems {
  for (const [i, { ip, ipMode, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const at = `status.loadBalancer.ingress[${i}]`;
    if (ip) yield* invalidFor(`${at}.ip`, ip, addressProblems(ip));
    if (ip && ipMode == null) yield fieldError.required(`${at}.ipMode`, "must be specified when `ip` is set");
    if (!ip && ipMode != null) yield fieldError.forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
    if (hostname) yield* dnsSubdomain(`${at}.hostname`, hostname);
  }
}
