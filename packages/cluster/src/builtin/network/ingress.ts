import { isIP } from "node:net";
import type { Ingress, IngressBackend, IngressClass, IngressClassParametersReference, IngressRule } from "pintle/kinds/networking/v1";
import { dnsLabelProblems, dnsSubdomainProblems, fieldError, pathSegmentProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { ingressClassTable, ingressTable } from "../table/others.ts";
import { portNameProblems, portNumberProblems, wildcardProblems } from "../text/names.ts";
import { dnsLabel, dnsSubdomain, immutable, invalidFor, maybeOneOf, type Problems, required } from "../validate/problems.ts";

const CLASS = "kubernetes.io/ingress.class";
const BAD_SEQUENCES = ["//", "/./", "/../", "%2f", "%2F"];
const BAD_ENDINGS = ["/..", "/."];

export const ingress = rules<Ingress>({
  validate: function* (object) {
    yield* validateSpec(object.spec ?? {});
    const annotation = object.metadata?.annotations?.[CLASS];
    const given = object.spec?.ingressClassName;
    if (annotation != null && given != null && annotation !== given) {
      yield fieldError.invalid(`annotations.${CLASS}`, annotation, "must match `ingressClassName` when both are specified");
    }
  },
  validateUpdate: ({ spec }) => validateSpec(spec ?? {}),
  warnings: ({ metadata, spec }, live) =>
    live || metadata?.annotations?.[CLASS] === undefined || spec?.ingressClassName != null
      ? []
      : [`annotation "${CLASS}" is deprecated, please use 'spec.ingressClassName' instead`],
  table: ingressTable,
});

type Spec = NonNullable<Loose<Ingress>["spec"]>;

function* validateSpec(spec: Spec): Problems {
  if (!spec.rules?.length && !spec.defaultBackend) {
    yield fieldError.invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (spec.defaultBackend) yield* backend("spec.defaultBackend", spec.defaultBackend);
  for (const [i, rule] of (spec.rules ?? []).entries()) yield* validateRule(`spec.rules[${i}]`, rule);
  for (const [i, { hosts, secretName }] of (spec.tls ?? []).entries()) {
    for (const [j, host] of (hosts ?? []).entries()) yield* invalidFor(`spec.tls[${i}].hosts[${j}]`, host, hostProblems(host));
    if (secretName) yield* dnsSubdomain(`spec.tls[${i}].secretName`, secretName);
  }
  if (spec.ingressClassName != null) yield* dnsSubdomain("spec.ingressClassName", spec.ingressClassName);
}

const hostProblems = (host: string) => (host.includes("*") ? wildcardProblems(host) : dnsSubdomainProblems(host));

function* validateRule(field: string, { host, http }: Loose<IngressRule>): Problems {
  if (host) {
    if (isIP(host) !== 0) yield fieldError.invalid(`${field}.host`, host, "must be a DNS name, not an IP address");
    yield* invalidFor(`${field}.host`, host, hostProblems(host));
  }
  if (!http) return;
  yield* required(`${field}.http.paths`, http.paths);
  for (const [i, { path = "", pathType, backend: to }] of (http.paths ?? []).entries()) {
    const at = `${field}.http.paths[${i}]`;
    if (pathType == null) {
      yield fieldError.required(`${at}.pathType`, "pathType must be specified");
      continue;
    }
    yield* pathProblems(at, path ?? "", pathType);
    yield* backend(`${at}.backend`, to ?? {});
  }
}

function* pathProblems(field: string, path: string, type: string): Problems {
  const relative = !path.startsWith("/");
  if (type === "ImplementationSpecific") {
    if (path !== "" && relative) yield fieldError.invalid(`${field}.path`, path, "must be an absolute path");
  } else if (type === "Exact" || type === "Prefix") {
    if (relative) yield fieldError.invalid(`${field}.path`, path, "must be an absolute path");
    for (const part of BAD_SEQUENCES)
      if (path.includes(part)) yield fieldError.invalid(`${field}.path`, path, `must not contain '${part}'`);
    for (const part of BAD_ENDINGS) if (path.endsWith(part)) yield fieldError.invalid(`${field}.path`, path, `cannot end with '${part}'`);
  } else yield fieldError.notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]);
}

function* backend(field: string, { service, resource }: Loose<IngressBackend>): Problems {
  if (service && resource) return yield fieldError.invalid(field, "", "cannot set both resource and service backends");
  if (resource) {
    if (resource.apiGroup != null) yield* dnsSubdomain(`${field}.resource.apiGroup`, resource.apiGroup);
    yield* required(`${field}.resource.kind`, resource.kind);
    yield* required(`${field}.resource.name`, resource.name);
    return;
  }
  if (!service) return yield fieldError.invalid(field, "", "resource or service backend is required");
  if (!service.name) yield fieldError.required(`${field}.service.name`);
  else yield* invalidFor(`${field}.service.name`, service.name, dnsLabelProblems(service.name));
  const { name, number } = service.port ?? {};
  if (name && number) yield fieldError.invalid(field, "", "cannot set both port name & port number");
  else if (name) yield* invalidFor(`${field}.service.port.name`, name, portNameProblems(name));
  else if (number) yield* invalidFor(`${field}.service.port.number`, number, portNumberProblems(number));
  else yield fieldError.required(field, "port name or number is required");
}

export const ingressClass = rules<IngressClass>({
  validate: classProblems,
  validateUpdate: function* (object, live) {
    yield* immutable("spec.controller", object.spec?.controller, live.spec?.controller);
    yield* classProblems(object);
  },
  table: ingressClassTable,
});

function* controller(name: string | null | undefined): Problems {
  const at = "spec.controller";
  if (!name) return yield fieldError.required(at);
  if (name.length > 250) yield fieldError.tooLong(at, 250);
  const [domain = "", ...path] = name.split("/");
  if (path.length === 0 || domain === "" || path.join("/") === "") {
    return yield fieldError.invalid(at, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  yield* invalidFor(at, domain, dnsSubdomainProblems(domain));
}

function* classProblems({ spec }: Loose<IngressClass>): Problems {
  yield* controller(spec?.controller);
  if (spec?.parameters) yield* parameters("spec.parameters", spec.parameters);
}

function* parameters(field: string, { apiGroup, kind, name, scope, namespace }: Loose<IngressClassParametersReference>): Problems {
  if (apiGroup != null) yield* dnsSubdomain(`${field}.apiGroup`, apiGroup);
  for (const [key, value] of Object.entries({ kind, name })) {
    yield* required(`${field}.${key}`, value);
    yield* invalidFor(`${field}.${key}`, value, pathSegmentProblems(value ?? ""));
  }
  if (scope == null) return yield fieldError.required(`${field}.scope`);
  yield* maybeOneOf(`${field}.scope`, scope, ["Cluster", "Namespace"]);
  if (scope === "Namespace") {
    if (namespace == null) yield fieldError.required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'");
    else yield* dnsLabel(`${field}.namespace`, namespace);
  }
  if (scope === "Cluster" && namespace != null) yield fieldError.forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'");
}
