import type { EnvFromSource, EnvVar, EnvVarSource, ObjectFieldSelector, ResourceFieldSelector } from "pintle/kinds/core/v1";
import { fieldError, validateQualifiedName } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { nanos } from "../quantities.ts";
import { validateConfigKey, validateEnvVarName } from "./names.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateDnsSubdomainField, validateRequired } from "./validators.ts";

const ENV_FIELDS = [
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
const CONVERTIBLE_FIELDS = new Set([...ENV_FIELDS, ...VOLUME_FIELDS, "spec.host", "status.phase"]);
const RESOURCE_FIELDS = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const DIVISORS = new Set(["1", ..."kMGTPE".split("").flatMap((unit) => [`1${unit}`, `1${unit.toUpperCase()}i`])]);
const DIVISORS_TEXT = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the";

export function* validateEnv(field: string, variables: readonly Unvalidated<EnvVar>[] | null | undefined): FieldErrors {
  for (const [i, variable] of (variables ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (!variable.name) yield fieldError.required(`${at}.name`);
    else yield* createInvalidErrors(`${at}.name`, variable.name, validateEnvVarName(variable.name));
    if (variable.valueFrom) yield* validateValueFrom(`${at}.valueFrom`, variable.valueFrom, variable.value ?? "");
  }
}

function* validateValueFrom(field: string, source: Unvalidated<EnvVarSource>, value: string): FieldErrors {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) yield* validateFieldSelector(`${field}.fieldRef`, fieldRef, ENV_FIELDS);
  if (resourceFieldRef) yield* validateResourceSelector(`${field}.resourceFieldRef`, resourceFieldRef, false);
  if (configMapKeyRef) yield* validateKeySelector(`${field}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) yield* validateKeySelector(`${field}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) {
    yield* validateRequired(`${field}.fileKeyRef.key`, fileKeyRef.key);
    if (!fileKeyRef.volumeName) yield fieldError.required(`${field}.fileKeyRef.volumeName`);
    else yield* validateDnsLabelField(`${field}.fileKeyRef.volumeName`, fileKeyRef.volumeName);
    yield* validateRequired(`${field}.fileKeyRef.path`, fileKeyRef.path);
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter((each) => !!each).length;
  if (sources === 0) {
    const choice = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    yield fieldError.invalid(field, "", choice);
  } else if (value !== "") yield fieldError.invalid(field, "", "may not be specified when `value` is not empty");
  else if (sources > 1) yield fieldError.invalid(field, "", "may not have more than one field specified at a time");
}

/** Validates a reference to a pod field, for an environment variable or a file. */
export function* validateFieldSelector(
  field: string,
  selector: Unvalidated<ObjectFieldSelector>,
  supported: readonly string[],
): FieldErrors {
  if (!selector.apiVersion) return yield fieldError.required(`${field}.apiVersion`);
  const { fieldPath } = selector;
  if (!fieldPath) return yield fieldError.required(`${field}.fieldPath`);
  const [, path, subscript] = /^([^[]*)\['(.*)'\]$/.exec(fieldPath) ?? [undefined, fieldPath];
  const known = subscript === undefined ? CONVERTIBLE_FIELDS.has(path) : path === "metadata.annotations" || path === "metadata.labels";
  if (!known) {
    const why =
      subscript === undefined ? `field label not supported: ${fieldPath}` : `field label does not support subscript: ${fieldPath}`;
    return yield fieldError.invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`);
  }
  if (subscript !== undefined) {
    const key = path === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    yield* createInvalidErrors(field, key, validateQualifiedName(key));
  } else if (!supported.includes(path)) yield fieldError.notSupported(`${field}.fieldPath`, path, supported);
}

export const validateVolumeFieldSelector = (field: string, selector: Unvalidated<ObjectFieldSelector>): FieldErrors =>
  validateFieldSelector(field, selector, VOLUME_FIELDS);

/** Validates a reference to a container resource, for an environment variable or a file. */
export function* validateResourceSelector(field: string, selector: Unvalidated<ResourceFieldSelector>, volume: boolean): FieldErrors {
  const { containerName, resource = "", divisor } = selector;
  if (volume && !containerName) yield fieldError.required(`${field}.containerName`);
  else if (!resource) yield fieldError.required(`${field}.resource`);
  else if (!RESOURCE_FIELDS.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    yield fieldError.notSupported(`${field}.resource`, resource, RESOURCE_FIELDS);
  }
  if (divisor == null || nanos(divisor) === 0n) return;
  const kind = (resource ?? "").replace(/^(requests|limits)\./, "");
  const cpu = kind === "cpu";
  if (cpu ? divisor === "1m" || divisor === "1" : DIVISORS.has(divisor)) return;
  const name = kind === "ephemeral-storage" ? "local ephemeral storage" : kind.startsWith("hugepages-") ? "hugepages" : kind;
  const text = cpu ? "1m and 1 are supported with the cpu resource" : `${DIVISORS_TEXT} ${name} resource`;
  yield fieldError.invalid(`${field}.divisor`, resource, `only divisor's values ${text}`);
}

function* validateKeySelector(field: string, { name, key }: Unvalidated<{ readonly name: string; readonly key: string }>): FieldErrors {
  yield* validateDnsSubdomainField(`${field}.name`, name ?? "");
  if (!key) yield fieldError.required(`${field}.key`);
  else yield* createInvalidErrors(`${field}.key`, key, validateConfigKey(key));
}

export function* validateEnvFrom(field: string, sources: readonly Unvalidated<EnvFromSource>[] | null | undefined): FieldErrors {
  for (const [i, { prefix, configMapRef, secretRef }] of (sources ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (prefix) yield* createInvalidErrors(`${at}.prefix`, prefix, validateEnvVarName(prefix));
    for (const [kind, ref] of Object.entries({ configMapRef, secretRef })) {
      if (!ref) continue;
      if (!ref.name) yield fieldError.required(`${at}.${kind}.name`);
      else yield* validateDnsSubdomainField(`${at}.${kind}.name`, ref.name.endsWith("-") ? `${ref.name}a` : ref.name);
    }
    if (!configMapRef && !secretRef) yield fieldError.invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    else if (configMapRef && secretRef) yield fieldError.invalid(field, "", "may not have more than one field specified at a time");
  }
}
