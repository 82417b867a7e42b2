import { isJsonEqual } from "pintle/internal/merge";
import type { Service, ServicePort } from "pintle/kinds/core/v1";
import { validateLabelName } from "../../../api/index.ts";
import { type FieldError, fieldError, invalid } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { servicePrinter } from "../../printers/core.ts";
import { validateIp as addressProblems } from "../../validation/ip-address.ts";
import { createInvalidErrors, type FieldErrors, validateDnsSubdomainField } from "../../validation/validators.ts";
import { defineStrategy, type KindStrategy } from "../kind-strategy.ts";
import { getServiceKey, type ServiceAllocator } from "./service-allocator.ts";
import { defaultIpFamilies } from "./service-ip-families.ts";
import { validateService, validateServiceUpdate } from "./service-validation.ts";

type ServiceSpecDraft = NonNullable<Draft<Service>["spec"]>;
type UnvalidatedServiceSpec = NonNullable<Unvalidated<Service>["spec"]>;

const NONE = "None";
const needsIp = ({ type }: UnvalidatedServiceSpec) => type !== "ExternalName";
const isHeadless = ({ clusterIP }: UnvalidatedServiceSpec) => clusterIP === NONE;
const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: UnvalidatedServiceSpec) =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
const mayHaveNodePorts = ({ type }: UnvalidatedServiceSpec) => type === "NodePort" || type === "LoadBalancer";
const needsHealthCheck = ({ type, externalTrafficPolicy }: UnvalidatedServiceSpec) =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";
const isExternallyAccessible = ({ type, externalIPs }: UnvalidatedServiceSpec) =>
  type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !!externalIPs?.length);

/** Creates the strategy of services, which allocates addresses. */
export function createServiceStrategy(addresses: ServiceAllocator): KindStrategy<any> {
  return defineStrategy<Service>({
    connectSubresources: ["proxy"],
    prepareForCreate(draft) {
      draft.spec ??= {};
      const { spec } = draft;
      if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
      allocateAddresses(draft, undefined, addresses);
    },
    prepareForUpdate(draft, live) {
      draft.spec ??= {};
      const { spec } = draft;
      const was = live.spec ?? {};
      keepAllocated(spec, was);
      allocateAddresses(draft, was, addresses);
      dropTypeDependentFields(draft, was);
    },
    validateName: validateLabelName,
    validate: validateService,
    validateUpdate: validateServiceUpdate,
    warnings: getServiceWarnings,
    status: { validate: validateLoadBalancerStatus },
    tablePrinter: servicePrinter,
    selectableFields: { "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "", "spec.type": ({ spec }) => spec?.type ?? "" },
  });
}

/** Allocates missing addresses. Throws `Invalid` with the first error if a requested address is not available. */
function allocateAddresses(draft: Draft<Service>, was: UnvalidatedServiceSpec | undefined, addresses: ServiceAllocator): void {
  const spec = draft.spec!;
  const key = getServiceKey(draft as Unvalidated<Service>);
  rejectIfInvalid(draft, defaultIpFamilies(spec, was));
  if (needsIp(spec) && !isHeadless(spec)) {
    const [ip] = spec.clusterIPs ?? [];
    if (!ip) spec.clusterIPs = [addresses.findFreeIp()];
    else if (ip !== was?.clusterIPs?.[0]) rejectIfInvalid(draft, validateRequestedIp(ip, spec, key, addresses));
    spec.clusterIP ||= spec.clusterIPs?.[0];
  }
  if (mayHaveNodePorts(spec)) rejectIfInvalid(draft, setNodePorts(spec, key, addresses).slice(0, 1));
  if (needsHealthCheck(spec)) spec.healthCheckNodePort ||= addresses.findFreePort(listNodePorts(spec));
}

function rejectIfInvalid({ metadata }: Draft<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "", resource: "Service" }, metadata?.name ?? "", errors);
}

function validateRequestedIp(
  ip: string,
  { clusterIPs }: ServiceSpecDraft,
  key: string,
  addresses: ServiceAllocator,
): readonly FieldError[] {
  const owner = addresses.getIpOwner(ip);
  const range = "the provided network does not match the current range";
  const why = !addresses.isInRange(ip) ? range : owner !== undefined && owner !== key ? "provided IP is already allocated" : undefined;
  return why === undefined ? [] : [fieldError.invalid("spec.clusterIPs", clusterIPs, `failed to allocate IP ${ip}: ${why}`)];
}

/** Allocates node ports; service ports with the same number share one, regardless of protocol. */
function setNodePorts(spec: ServiceSpecDraft, key: string, addresses: ServiceAllocator): readonly FieldError[] {
  const errors: FieldError[] = [];
  const nodePortsByPort = new Map<number, number>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort) {
      const why = describeNodePortError(port.nodePort, key, addresses);
      if (why !== undefined) errors.push(fieldError.invalid(`spec.ports[${index}].nodePort`, port.nodePort, why));
    } else if (needsNodePorts(spec))
      port.nodePort = nodePortsByPort.get(port.port ?? 0) ?? findSharedNodePort(port, spec) ?? addresses.findFreePort(listNodePorts(spec));
    if (port.nodePort) nodePortsByPort.set(port.port ?? 0, port.nodePort);
  }
  return errors;
}

const listNodePorts = ({ ports }: ServiceSpecDraft) => new Set((ports ?? []).map(({ nodePort }) => nodePort ?? 0));

function describeNodePortError(port: number, key: string, addresses: ServiceAllocator): string | undefined {
  const { first, last } = addresses.nodePorts;
  if (port < first || port > last) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  const owner = addresses.getPortOwner(port);
  return owner === undefined || owner === key ? undefined : "provided port is already allocated";
}

function findSharedNodePort({ port }: Draft<ServicePort>, { ports }: ServiceSpecDraft): number | undefined {
  return ports?.find((other) => other.port === port && other.nodePort)?.nodePort ?? undefined;
}

/** Keeps the allocated addresses that the update does not specify. */
function keepAllocated(spec: ServiceSpecDraft, was: UnvalidatedServiceSpec): void {
  if (needsIp(was) && needsIp(spec)) {
    spec.clusterIP ||= was.clusterIP;
    if (!spec.clusterIPs?.length && was.clusterIPs?.length) spec.clusterIPs = [...was.clusterIPs];
  }
  if (needsNodePorts(was) && needsNodePorts(spec)) {
    const usedNodePorts = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    const byName = new Map((was.ports ?? []).map(({ name, nodePort }) => [name ?? "", nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? "");
      if (!port.nodePort && before && !usedNodePorts.has(before)) port.nodePort = before;
    }
  }
  if (needsHealthCheck(was) && needsHealthCheck(spec)) spec.healthCheckNodePort ||= was.healthCheckNodePort;
  syncClusterIps(spec, was);
}

/** Synchronizes clusterIP and clusterIPs[0]; the one that the client changed wins. */
function syncClusterIps(spec: ServiceSpecDraft, was: UnvalidatedServiceSpec): void {
  if ((spec.clusterIP ?? "") === (was.clusterIP ?? "") || !isJsonEqual((spec.clusterIPs ?? []) as never, (was.clusterIPs ?? []) as never))
    return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** Removes the fields that the new service type does not support, unless the client changed them. */
function dropTypeDependentFields({ spec, status }: Draft<Service>, was: UnvalidatedServiceSpec): void {
  if (!spec) return;
  const isUnchanged = (field: keyof ServiceSpecDraft) => isJsonEqual((spec[field] ?? null) as never, (was[field] ?? null) as never);
  if (needsIp(was) && !needsIp(spec)) {
    if (isUnchanged("clusterIP") && isUnchanged("clusterIPs")) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isUnchanged("internalTrafficPolicy")) delete spec.internalTrafficPolicy;
    if (isUnchanged("ipFamilies")) delete spec.ipFamilies;
    if (isUnchanged("ipFamilyPolicy")) delete spec.ipFamilyPolicy;
  }
  const before = new Set(was.ports?.map(({ nodePort }) => nodePort));
  const noNewPorts = (spec.ports ?? []).every(({ nodePort }) => !nodePort || before.has(nodePort));
  if (mayHaveNodePorts(was) && !mayHaveNodePorts(spec) && noNewPorts) for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheck(was) && !needsHealthCheck(spec) && isUnchanged("healthCheckNodePort")) delete spec.healthCheckNodePort;
  if (was.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (isUnchanged("allocateLoadBalancerNodePorts")) delete spec.allocateLoadBalancerNodePorts;
    if (isUnchanged("loadBalancerClass")) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(was) && !isExternallyAccessible(spec) && isUnchanged("externalTrafficPolicy"))
    delete spec.externalTrafficPolicy;
  if (spec.type !== "LoadBalancer" && status) status.loadBalancer = {};
}

function getServiceWarnings({ spec }: Unvalidated<Service>): readonly string[] {
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

function* validateLoadBalancerStatus({ status }: Unvalidated<Service>): FieldErrors {
  for (const [i, { ip, ipMode, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const at = `status.loadBalancer.ingress[${i}]`;
    if (ip) yield* createInvalidErrors(`${at}.ip`, ip, addressProblems(ip));
    if (ip && ipMode == null) yield fieldError.required(`${at}.ipMode`, "must be specified when `ip` is set");
    if (!ip && ipMode != null) yield fieldError.forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
    if (hostname) yield* validateDnsSubdomainField(`${at}.hostname`, hostname);
  }
}
