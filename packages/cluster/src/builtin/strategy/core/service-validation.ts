import { isIPv6 } from "node:net";
import type { Service, ServicePort } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { validateCidr, validateEndpointIp, validateIp } from "../../validation/ip-address.ts";
import { validateLabels } from "../../validation/labels.ts";
import { validatePortNumber } from "../../validation/names.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  printInternal,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateEnum,
  validateIpAddressField,
  validatePortNumberOrName,
  validateQualifiedNameField,
  validateRequiredEnum,
} from "../../validation/validators.ts";

type UnvalidatedServiceSpec = NonNullable<Unvalidated<Service>["spec"]>;
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const ONLY_LOAD_BALANCERS = "may only be used when `type` is 'LoadBalancer'";
const isHeadless = ({ clusterIPs }: UnvalidatedServiceSpec) => clusterIPs?.length === 1 && clusterIPs[0] === "None";
const isExternallyAccessible = ({ type, externalIPs }: UnvalidatedServiceSpec) =>
  type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !!externalIPs?.length);
const needsHealthCheck = ({ type, externalTrafficPolicy }: UnvalidatedServiceSpec) =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

export function* validateService({ spec: specified }: Unvalidated<Service>): FieldErrors {
  const spec = specified ?? {};
  if (!spec.ports?.length && !isHeadless(spec) && spec.type !== "ExternalName") yield fieldError.required("spec.ports");
  yield* validateServiceType(spec);
  yield* validatePorts(spec);
  yield* validateLabels("spec.selector", spec.selector);
  yield* validateRequiredEnum("spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"]);
  yield* validateAffinityTimeout(spec);
  yield* validateClusterIps(spec);
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const at = `spec.externalIPs[${i}]`;
    const problems = validateIp(ip);
    yield* createInvalidErrors(at, ip, problems.length > 0 ? problems : validateEndpointIp(ip));
  }
  yield* validateRequiredEnum("spec.type", spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
  yield* validateNodePorts(spec);
  yield* validateLoadBalancer(spec);
  yield* validateTrafficPolicies(spec);
}

function* validateServiceType(spec: UnvalidatedServiceSpec): FieldErrors {
  if ((spec.type === "LoadBalancer" || spec.type === "NodePort") && isHeadless(spec)) {
    yield fieldError.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`);
  }
  if (spec.type !== "ExternalName") return;
  const why = "may not be set for ExternalName services";
  if (spec.clusterIPs?.length) yield fieldError.forbidden("spec.clusterIPs", why);
  if (spec.ipFamilies?.length) yield fieldError.forbidden("spec.ipFamilies", why);
  if (spec.ipFamilyPolicy != null) yield fieldError.forbidden("spec.ipFamilyPolicy", why);
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") yield fieldError.required("spec.externalName");
  else yield* validateDnsSubdomainField("spec.externalName", name);
}

function* validatePorts(spec: UnvalidatedServiceSpec): FieldErrors {
  const names = new Set<string>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const at = `spec.ports[${i}]`;
    if (port.name) {
      yield* validateDnsLabelField(`${at}.name`, port.name);
      if (names.has(port.name)) yield fieldError.duplicate(`${at}.name`, port.name);
      names.add(port.name);
    } else if (spec.ports!.length > 1) yield fieldError.required(`${at}.name`);
    yield* createInvalidErrors(`${at}.port`, port.port ?? 0, validatePortNumber(port.port ?? 0));
    yield* validateRequiredEnum(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
    yield* validatePortNumberOrName(`${at}.targetPort`, port.targetPort);
    if (port.appProtocol != null) yield* validateQualifiedNameField(`${at}.appProtocol`, port.appProtocol);
  }
}

function* validateAffinityTimeout({ sessionAffinity, sessionAffinityConfig }: UnvalidatedServiceSpec): FieldErrors {
  if (sessionAffinity !== "ClientIP") return;
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (timeout > 0 && timeout <= 86400) return;
  const at = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  yield fieldError.invalid(at, timeout, "must be greater than 0 and less than 86400");
}

/** Validates clusterIPs, ipFamilies and ipFamilyPolicy of a service. */
export function* validateClusterIps(spec: UnvalidatedServiceSpec): FieldErrors {
  if (spec.type === "ExternalName") return;
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = spec;
  if (clusterIP) {
    if (!clusterIPs?.length) yield fieldError.required("spec.clusterIPs");
    else if (clusterIPs[0] !== clusterIP) yield fieldError.invalid("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIPs?.length) {
    yield fieldError.invalid("spec.clusterIPs", clusterIPs, "must be empty when `clusterIP` is not specified");
  }
  for (const [i, family] of (ipFamilies ?? []).entries()) {
    yield* validateEnum(`spec.ipFamilies[${i}]`, family, ["IPv4", "IPv6"]);
    if (ipFamilies!.indexOf(family) < i) yield fieldError.duplicate(`spec.ipFamilies[${i}]`, family);
  }
  yield* validateEnum("spec.ipFamilyPolicy", ipFamilyPolicy, ["PreferDualStack", "RequireDualStack", "SingleStack"]);
  const problems: FieldError[] = [];
  for (const [i, ip] of (clusterIPs ?? []).entries()) {
    if (i === 0 && ip === "None") {
      if (clusterIPs!.length > 1)
        problems.push(fieldError.invalid("spec.clusterIPs", clusterIPs, "'None' must be the first and only value"));
    } else problems.push(...validateIpAddressField(`spec.clusterIPs[${i}]`, ip));
  }
  yield* problems;
  if (clusterIPs && clusterIPs.length > 2) yield fieldError.invalid("spec.clusterIPs", clusterIPs, "may only hold up to 2 values");
  if (problems.length > 0) return;
  const sixes = clusterIPs?.filter((ip) => isIPv6(ip)).length ?? 0;
  if (clusterIPs && clusterIPs.length > 1 && !(clusterIPs.length === 2 && sixes === 1)) {
    yield fieldError.invalid("spec.clusterIPs", clusterIPs, "may specify no more than one IP for each IP family");
  }
  for (const [i, ip] of (isHeadless(spec) ? [] : (clusterIPs ?? [])).entries()) {
    const family = ipFamilies?.[i];
    if (family === undefined || (family === "IPv6") === isIPv6(ip)) continue;
    yield fieldError.invalid(`spec.clusterIPs[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
  }
}

function* validateNodePorts(spec: UnvalidatedServiceSpec): FieldErrors {
  const all = [...(spec.ports ?? []).entries()];
  for (const [i, { nodePort }] of all) {
    if (spec.type !== "ClusterIP" || !nodePort) continue;
    yield fieldError.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'");
  }
  const taken = new Set<string>();
  for (const [i, { nodePort, protocol }] of all) {
    if (!nodePort) continue;
    if (taken.has(`${protocol}/${nodePort}`)) yield fieldError.duplicate(`spec.ports[${i}].nodePort`, nodePort);
    taken.add(`${protocol}/${nodePort}`);
  }
  const seen = new Set<string>();
  for (const [i, port] of all) {
    const key = `${port.protocol}/${port.port}`;
    if (seen.has(key)) yield fieldError.duplicate(`spec.ports[${i}]`, printInternal(toInternalPort(port)));
    seen.add(key);
  }
}

/** Returns the value in the internal version, whose Go field names kube-apiserver prints in errors. */
function toInternalPort({ protocol, port }: Unvalidated<ServicePort>): object {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function* validateLoadBalancer(spec: UnvalidatedServiceSpec): FieldErrors {
  const { type, loadBalancerSourceRanges: ranges, allocateLoadBalancerNodePorts, loadBalancerClass } = spec;
  if (ranges?.length) {
    if (type !== "LoadBalancer") yield fieldError.forbidden("spec.LoadBalancerSourceRanges", ONLY_LOAD_BALANCERS);
    for (const [i, range] of ranges.entries()) {
      yield* createInvalidErrors(`spec.LoadBalancerSourceRanges[${i}]`, range.trim(), validateCidr(range.trim()));
    }
  }
  if (allocateLoadBalancerNodePorts != null && type !== "LoadBalancer") {
    yield fieldError.forbidden("spec.allocateLoadBalancerNodePorts", ONLY_LOAD_BALANCERS);
  }
  if (loadBalancerClass == null) return;
  if (type === "LoadBalancer") yield* validateQualifiedNameField("spec.loadBalancerClass", loadBalancerClass);
  else yield fieldError.forbidden("spec.loadBalancerClass", ONLY_LOAD_BALANCERS);
}

function* validateTrafficPolicies(spec: UnvalidatedServiceSpec): FieldErrors {
  const { externalTrafficPolicy: policy, healthCheckNodePort, internalTrafficPolicy, trafficDistribution } = spec;
  if (isExternallyAccessible(spec)) yield* validateRequiredEnum("spec.externalTrafficPolicy", policy, ["Cluster", "Local"]);
  else if (policy) yield fieldError.invalid("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services");
  if (!needsHealthCheck(spec) && healthCheckNodePort) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield fieldError.invalid("spec.healthCheckNodePort", healthCheckNodePort, why);
  }
  yield* validateEnum("spec.internalTrafficPolicy", internalTrafficPolicy, ["Cluster", "Local"]);
  yield* validateEnum("spec.trafficDistribution", trafficDistribution, DISTRIBUTIONS);
}

/** Validates an update of a service: allocated addresses must not change. */
export function* validateServiceUpdate(service: Unvalidated<Service>, live: Unvalidated<Service>): FieldErrors {
  const spec = service.spec ?? {};
  const was = live.spec ?? {};
  if (spec.type !== "ExternalName" && was.type !== "ExternalName" && !(isHeadless(spec) && isHeadless(was))) {
    if (was.clusterIPs?.length && !spec.clusterIPs?.length) {
      yield fieldError.invalid("spec.clusterIPs[0]", null, "primary clusterIP can not be unset");
    }
    for (const [i, ip] of (was.clusterIPs ?? []).slice(0, spec.clusterIPs?.length ?? 0).entries()) {
      if (ip !== spec.clusterIPs?.[i]) yield fieldError.invalid(`spec.clusterIPs[${i}]`, spec.clusterIPs, "may not change once set");
    }
  }
  if (spec.type === "LoadBalancer" && was.type === "LoadBalancer" && spec.loadBalancerClass !== was.loadBalancerClass) {
    yield fieldError.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set");
  }
  if (needsHealthCheck(spec) && needsHealthCheck(was) && spec.healthCheckNodePort !== was.healthCheckNodePort) {
    yield fieldError.forbidden("spec.healthCheckNodePort", "field is immutable");
  }
  yield* validateService(service);
}
