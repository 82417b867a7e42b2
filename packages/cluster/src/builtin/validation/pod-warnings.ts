import { quoteGoString } from "pintle/internal/go-format";
import type { Container, PodAffinity, PodSpec, PodTemplateSpec } from "pintle/kinds/core/v1";
import { validateDnsLabel } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { nanos } from "../quantities.ts";
import { getVolumeWarnings } from "./volume-warnings.ts";

type ContainerPath = { readonly at: string; readonly container: Unvalidated<Container> };

/** Returns warnings about a pod; `field` is "" for the pod itself, otherwise the path of its template. */
export function getPodWarnings(field: string, spec: Unvalidated<PodSpec> | null | undefined): readonly string[] {
  const at = field === "" ? "spec" : `${field}.spec`;
  const places = (["initContainers", "containers"] as const).flatMap((list) =>
    (spec?.[list] ?? []).map((container, i): ContainerPath => ({ at: `${at}.${list}[${i}]`, container })),
  );
  const { topologySpreadConstraints, volumes, hostAliases, imagePullSecrets, terminationGracePeriodSeconds: grace } = spec ?? {};
  const found: string[] = [];
  for (const [i, { labelSelector }] of (topologySpreadConstraints ?? []).entries()) {
    if (!labelSelector) found.push(`${at}.topologySpreadConstraints[${i}].labelSelector: ${NULL_SELECTOR_WARNING}`);
  }
  if (volumes) found.push(...getVolumeWarnings(`${at}.volumes`, volumes));
  if (hostAliases) found.push(...getDuplicateWarnings(`${at}.hostAliases`, "ip", hostAliases));
  if (imagePullSecrets) found.push(...getDuplicateWarnings(`${at}.imagePullSecrets`, "name", imagePullSecrets));
  for (const [i, { name }] of (imagePullSecrets ?? []).entries()) {
    if (!name) found.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`);
  }
  for (const place of places) found.push(...getFractionWarnings(place), ...getHiddenEnvWarnings(place));
  found.push(...getPortWarnings(places), ...getPortNameWarnings(places));
  if ((grace ?? 0) < 0)
    found.push(`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  for (const which of ["podAffinity", "podAntiAffinity"] as const) {
    if (spec?.affinity?.[which]) found.push(...getAffinityWarnings(`${at}.affinity.${which}`, spec.affinity[which]));
  }
  return found;
}

const NULL_SELECTOR_WARNING = "a null labelSelector results in matching no pod";

function getAffinityWarnings(field: string, of: Unvalidated<PodAffinity> | null | undefined): readonly string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } = of ?? {};
  return [
    ...(required ?? []).flatMap(({ labelSelector }, i) =>
      labelSelector ? [] : [`${field}.requiredDuringSchedulingIgnoredDuringExecution[${i}].labelSelector: ${NULL_SELECTOR_WARNING}`],
    ),
    ...(preferred ?? []).flatMap(({ podAffinityTerm }, i) =>
      podAffinityTerm?.labelSelector
        ? []
        : [`${field}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm.labelSelector: ${NULL_SELECTOR_WARNING}`],
    ),
  ];
}

/** Returns warnings about a pod template, on create and when an update changes the template. */
export function getTemplateWarnings(field: string, template: Unvalidated<PodTemplateSpec> | null | undefined): readonly string[] {
  return getPodWarnings(field, template?.spec);
}

export function getPodNameWarnings(name: string): readonly string[] {
  const problems = validateDnsLabel(name);
  if (problems.length === 0) return [];
  const why = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${why}: [${problems.join(" ")}]`];
}

function getDuplicateWarnings<T, K extends keyof T & string>(
  field: string,
  key: K,
  items: readonly T[] | null | undefined,
): readonly string[] {
  const seen = new Set<unknown>();
  return (items ?? []).flatMap((item, i) => {
    const value = item[key];
    if (seen.has(value)) return [`${field}[${i}].${key}: duplicate ${key} ${quoteGoString(String(value))}`];
    seen.add(value);
    return [];
  });
}

function getFractionWarnings({ at, container: { resources } }: ContainerPath): readonly string[] {
  const found: string[] = [];
  if (!resources) return found;
  for (const name of ["memory", "ephemeral-storage"]) {
    for (const list of ["limits", "requests"] as const) {
      const value = resources[list]?.[name];
      if (value == null || nanos(value) % 1_000_000_000n === 0n) continue;
      found.push(`${at}.resources.${list}[${name}]: fractional byte value ${quoteGoString(value)} is invalid, must be an integer`);
    }
  }
  return found;
}

function getHiddenEnvWarnings({ at, container }: ContainerPath): readonly string[] {
  const seen = new Set<string>();
  return (container.env ?? []).flatMap(({ name = "", value = "", valueFrom }, i) => {
    const reference = `$(${name})`;
    const again = seen.has(name ?? "");
    seen.add(name ?? "");
    if (!again || (!valueFrom && value !== reference && value?.includes(reference))) return [];
    return [`${at}.env[${i}]: hides previous definition of ${quoteGoString(name ?? "")}, which may be dropped when using apply`];
  });
}

/** More than the warnings of a response have room for. */
const MAX_PORT_WARNINGS = 100;

function getPortWarnings(places: readonly ContainerPath[]): readonly string[] {
  const all = places.flatMap(({ at, container }) => (container.ports ?? []).map((port, i) => ({ at: `${at}.ports[${i}]`, port })));
  const found: string[] = [];
  const earlierPorts = new Map<string, (typeof all)[number][]>();
  for (const place of all) {
    const { at, port } = place;
    const key = `${port.containerPort} ${port.protocol}`;
    const others = earlierPorts.get(key) ?? [];
    for (const { at: earlier, port: other } of others) {
      const same = (port.hostIP ?? "") === (other.hostIP ?? "") && (port.hostPort ?? 0) === (other.hostPort ?? 0);
      if (same) found.push(`${at}: duplicate port definition with ${earlier}`);
      else if (!port.hostPort || !other.hostPort) found.push(`${at}: overlapping port definition with ${earlier}`);
      // Headers hold no more warnings; every pair of equal ports would have one.
      if (found.length >= MAX_PORT_WARNINGS) return found;
    }
    others.push(place);
    earlierPorts.set(key, others);
  }
  return found;
}

function getPortNameWarnings(places: readonly ContainerPath[]): readonly string[] {
  const first = new Map<string, string>();
  return places.flatMap(({ at, container }) =>
    (container.ports ?? []).flatMap(({ name }, i) => {
      const here = `${at}.ports[${i}]`;
      const other = first.get(name ?? "");
      if (name && other === undefined) first.set(name, here);
      if (!name || other === undefined) return [];
      const why = `services and probes that select ports by name will use ${other}`;
      return [`${here}: duplicate port name ${quoteGoString(name)} with ${other}, ${why}`];
    }),
  );
}
