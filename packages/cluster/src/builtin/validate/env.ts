import type { EnvFromSource, EnvVar, EnvVarSource, ObjectFieldSelector, ResourceFieldSelector } from "pintle/kinds/core/v1";
import { fieldError, qualifiedNameProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { configKeyProblems, envNameProblems } from "../text/names.ts";
import { nanos } from "../text/quantities.ts";
import { dnsLabel, dnsSubdomain, invalidFor, type Problems, required } from "./problems.ts";

const FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const VOLUME_FIELDS = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const CONVERTIBLE = new Set([...FIELDS, ...VOLUME_FIELDS, "spec.host", "status.phase"]);
const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const UNITS = new Set(["1", ..."kMGTPE".split("").flatMap((unit) => [`1${unit}`, `1${unit.toUpperCase()}i`])]);
const UNITS_TEXT = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the";

export function* env(field: string, variables: readonly Loose<EnvVar>[] | null | undefined): Problems {
  for (const [i, variable] of (variables ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (!variable.name) yield fieldError.required(`${at}.name`);
    else yield* invalidFor(`${at}.name`, variable.name, envNameProblems(variable.name));
    if (variable.valueFrom) yield* valueFrom(`${at}.valueFrom`, variable.valueFrom, variable.value ?? "");
  }
}

function* valueFrom(field: string, source: Loose<EnvVarSource>, value: string): Problems {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) yield* fieldSelector(`${field}.fieldRef`, fieldRef, FIELDS);
  if (resourceFieldRef) yield* resourceSelector(`${field}.resourceFieldRef`, resourceFieldRef, false);
  if (configMapKeyRef) yield* keySelector(`${field}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) yield* keySelector(`${field}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) {
    yield* required(`${field}.fileKeyRef.key`, fileKeyRef.key);
    if (!fileKeyRef.volumeName) yield fieldError.required(`${field}.fileKeyRef.volumeName`);
    else yield* dnsLabel(`${field}.fileKeyRef.volumeName`, fileKeyRef.volumeName);
    yield* required(`${field}.fileKeyRef.path`, fileKeyRef.path);
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter((each) => !!each).length;
  if (sources === 0) {
    const choice = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    yield fieldError.invalid(field, "", choice);
  } else if (value !== "") yield fieldError.invalid(field, "", "may not be specified when `value` is not empty");
  else if (sources > 1) yield fieldError.invalid(field, "", "may not have more than one field specified at a time");
}

/** A field of the pod, for an environment variable or a file. */
export function* fieldSelector(field: string, selector: Loose<ObjectFieldSelector>, supported: readonly string[]): Problems {
  if (!selector.apiVersion) return yield fieldError.required(`${field}.apiVersion`);
  const { fieldPath } = selector;
  if (!fieldPath) return yield fieldError.required(`${field}.fieldPath`);
  const [, path, subscript] = /^([^[]*)\['(.*)'\]$/.exec(fieldPath) ?? [undefined, fieldPath];
  const known = subscript === undefined ? CONVERTIBLE.has(path) : path === "metadata.annotations" || path === "metadata.labels";
  if (!known) {
    const why =
      subscript === undefined ? `field label not supported: ${fieldPath}` : `field label does not support subscript: ${fieldPath}`;
    return yield fieldError.invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`);
  }
  if (subscript !== undefined) {
    const key = path === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    yield* invalidFor(field, key, qualifiedNameProblems(key));
  } else if (!supported.includes(path)) yield fieldError.notSupported(`${field}.fieldPath`, path, supported);
}

export const volumeFieldSelector = (field: string, selector: Loose<ObjectFieldSelector>): Problems =>
  fieldSelector(field, selector, VOLUME_FIELDS);

/** A resource of a container, for an environment variable or a file. */
export function* resourceSelector(field: string, selector: Loose<ResourceFieldSelector>, volume: boolean): Problems {
  const { containerName, resource = "", divisor } = selector;
  if (volume && !containerName) yield fieldError.required(`${field}.containerName`);
  else if (!resource) yield fieldError.required(`${field}.resource`);
  else if (!RESOURCES.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    yield fieldError.notSupported(`${field}.resource`, resource, RESOURCES);
  }
  if (divisor == null || nanos(divisor) === 0n) return;
  const kind = (resource ?? "").replace(/^(requests|limits)\./, "");
  const cpu = kind === "cpu";
  if (cpu ? divisor === "1m" || divisor === "1" : UNITS.has(divisor)) return;
  const name = kind === "ephemeral-storage" ? "local ephemeral storage" : kind.startsWith("hugepages-") ? "hugepages" : kind;
  const text = cpu ? "1m and 1 are supported with the cpu resource" : `${UNITS_TEXT} ${name} resource`;
  yield fieldError.invalid(`${field}.divisor`, resource, `only divisor's values ${text}`);
}

function* keySelector(field: string, { name, key }: Loose<{ readonly name: string; readonly key: string }>): Problems {
  yield* dnsSubdomain(`${field}.name`, name ?? "");
  if (!key) yield fieldError.required(`${field}.key`);
  else yield* invalidFor(`${field}.key`, key, configKeyProblems(key));
}

export function* envFrom(field: string, sources: readonly Loose<EnvFromSource>[] | null | undefined): Problems {
  for (const [i, { prefix, configMapRef, secretRef }] of (sources ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (prefix) yield* invalidFor(`${at}.prefix`, prefix, envNameProblems(prefix));
    for (const [kind, ref] of Object.entries({ configMapRef, secretRef })) {
      if (!ref) continue;
      if (!ref.name) yield fieldError.required(`${at}.${kind}.name`);
      else yield* dnsSubdomain(`${at}.${kind}.name`, ref.name.endsWith("-") ? `${ref.name}a` : ref.name);
    }
    if (!configMapRef && !secretRef) yield fieldError.invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    else if (configMapRef && secretRef) yield fieldError.invalid(field, "", "may not have more than one field specified at a time");
  }
}
