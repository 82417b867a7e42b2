import { isIP } from "node:net";
import type { Ingress, IngressBackend, IngressClass, IngressClassParametersReference, IngressRule } from "pintle/kinds/networking/v1";
import { fieldError, validateDnsLabel, validateDnsSubdomain, validatePathSegment } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { ingressClassPrinter, ingressPrinter } from "../../printers/others.ts";
import { validatePortName, validatePortNumber, validateWildcardSubdomain } from "../../validation/names.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateEnum,
  validateImmutableField,
  validateRequired,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const INVALID_PATH_SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const INVALID_PATH_SUFFIXES = ["/..", "/."];

export const ingressStrategy = defineStrategy<Ingress>({
  validate: function* (object) {
    yield* validateSpec(object.spec ?? {});
    const annotation = object.metadata?.annotations?.[CLASS_ANNOTATION];
    const className = object.spec?.ingressClassName;
    if (annotation != null && className != null && annotation !== className) {
      yield fieldError.invalid(`annotations.${CLASS_ANNOTATION}`, annotation, "must match `ingressClassName` when both are specified");
    }
  },
  validateUpdate: ({ spec }) => validateSpec(spec ?? {}),
  warnings: ({ metadata, spec }, live) =>
    live || metadata?.annotations?.[CLASS_ANNOTATION] === undefined || spec?.ingressClassName != null
      ? []
      : [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`],
  tablePrinter: ingressPrinter,
});

type UnvalidatedIngressSpec = NonNullable<Unvalidated<Ingress>["spec"]>;

function* validateSpec(spec: UnvalidatedIngressSpec): FieldErrors {
  if (!spec.rules?.length && !spec.defaultBackend) {
    yield fieldError.invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (spec.defaultBackend) yield* validateBackend("spec.defaultBackend", spec.defaultBackend);
  for (const [i, rule] of (spec.rules ?? []).entries()) yield* validateRule(`spec.rules[${i}]`, rule);
  for (const [i, { hosts, secretName }] of (spec.tls ?? []).entries()) {
    for (const [j, host] of (hosts ?? []).entries()) yield* createInvalidErrors(`spec.tls[${i}].hosts[${j}]`, host, validateHost(host));
    if (secretName) yield* validateDnsSubdomainField(`spec.tls[${i}].secretName`, secretName);
  }
  if (spec.ingressClassName != null) yield* validateDnsSubdomainField("spec.ingressClassName", spec.ingressClassName);
}

const validateHost = (host: string) => (host.includes("*") ? validateWildcardSubdomain(host) : validateDnsSubdomain(host));

function* validateRule(field: string, { host, http }: Unvalidated<IngressRule>): FieldErrors {
  if (host) {
    if (isIP(host) !== 0) yield fieldError.invalid(`${field}.host`, host, "must be a DNS name, not an IP address");
    yield* createInvalidErrors(`${field}.host`, host, validateHost(host));
  }
  if (!http) return;
  yield* validateRequired(`${field}.http.paths`, http.paths);
  for (const [i, { path = "", pathType, backend: to }] of (http.paths ?? []).entries()) {
    const at = `${field}.http.paths[${i}]`;
    if (pathType == null) {
      yield fieldError.required(`${at}.pathType`, "pathType must be specified");
      continue;
    }
    yield* validateIngressPath(at, path ?? "", pathType);
    yield* validateBackend(`${at}.backend`, to ?? {});
  }
}

function* validateIngressPath(field: string, path: string, type: string): FieldErrors {
  const relative = !path.startsWith("/");
  if (type === "ImplementationSpecific") {
    if (path !== "" && relative) yield fieldError.invalid(`${field}.path`, path, "must be an absolute path");
  } else if (type === "Exact" || type === "Prefix") {
    if (relative) yield fieldError.invalid(`${field}.path`, path, "must be an absolute path");
    for (const part of INVALID_PATH_SEQUENCES)
      if (path.includes(part)) yield fieldError.invalid(`${field}.path`, path, `must not contain '${part}'`);
    for (const part of INVALID_PATH_SUFFIXES)
      if (path.endsWith(part)) yield fieldError.invalid(`${field}.path`, path, `cannot end with '${part}'`);
  } else yield fieldError.notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]);
}

function* validateBackend(field: string, { service, resource }: Unvalidated<IngressBackend>): FieldErrors {
  if (service && resource) return yield fieldError.invalid(field, "", "cannot set both resource and service backends");
  if (resource) {
    if (resource.apiGroup != null) yield* validateDnsSubdomainField(`${field}.resource.apiGroup`, resource.apiGroup);
    yield* validateRequired(`${field}.resource.kind`, resource.kind);
    yield* validateRequired(`${field}.resource.name`, resource.name);
    return;
  }
  if (!service) return yield fieldError.invalid(field, "", "resource or service backend is required");
  if (!service.name) yield fieldError.required(`${field}.service.name`);
  else yield* createInvalidErrors(`${field}.service.name`, service.name, validateDnsLabel(service.name));
  const { name, number } = service.port ?? {};
  if (name && number) yield fieldError.invalid(field, "", "cannot set both port name & port number");
  else if (name) yield* createInvalidErrors(`${field}.service.port.name`, name, validatePortName(name));
  else if (number) yield* createInvalidErrors(`${field}.service.port.number`, number, validatePortNumber(number));
  else yield fieldError.required(field, "port name or number is required");
}

export const ingressClassStrategy = defineStrategy<IngressClass>({
  validate: validateIngressClass,
  validateUpdate: function* (object, live) {
    yield* validateImmutableField("spec.controller", object.spec?.controller, live.spec?.controller);
    yield* validateIngressClass(object);
  },
  tablePrinter: ingressClassPrinter,
});

function* validateController(name: string | null | undefined): FieldErrors {
  const at = "spec.controller";
  if (!name) return yield fieldError.required(at);
  if (name.length > 250) yield fieldError.tooLong(at, 250);
  const [domain = "", ...path] = name.split("/");
  if (path.length === 0 || domain === "" || path.join("/") === "") {
    return yield fieldError.invalid(at, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  yield* createInvalidErrors(at, domain, validateDnsSubdomain(domain));
}

function* validateIngressClass({ spec }: Unvalidated<IngressClass>): FieldErrors {
  yield* validateController(spec?.controller);
  if (spec?.parameters) yield* validateParameters("spec.parameters", spec.parameters);
}

function* validateParameters(
  field: string,
  { apiGroup, kind, name, scope, namespace }: Unvalidated<IngressClassParametersReference>,
): FieldErrors {
  if (apiGroup != null) yield* validateDnsSubdomainField(`${field}.apiGroup`, apiGroup);
  for (const [key, value] of Object.entries({ kind, name })) {
    yield* validateRequired(`${field}.${key}`, value);
    yield* createInvalidErrors(`${field}.${key}`, value, validatePathSegment(value ?? ""));
  }
  if (scope == null) return yield fieldError.required(`${field}.scope`);
  yield* validateEnum(`${field}.scope`, scope, ["Cluster", "Namespace"]);
  if (scope === "Namespace") {
    if (namespace == null) yield fieldError.required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'");
    else yield* validateDnsLabelField(`${field}.namespace`, namespace);
  }
  if (scope === "Cluster" && namespace != null) yield fieldError.forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'");
}
