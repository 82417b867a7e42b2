import type { PersistentVolumeClaimSpec, TypedObjectReference } from "pintle/kinds/core/v1";
import { dnsSubdomainProblems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { nanos } from "../text/quantities.ts";
import { labelSelector } from "./labels.ts";
import { dnsLabel, invalidFor, maybeOneOf, type Problems, required } from "./problems.ts";

export const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const VOLUME_MODES = ["Block", "Filesystem"];

/** What a claim asks for; also where a pod or a stateful set brings a template for one. */
export function* claimSpec(field: string, spec: Loose<PersistentVolumeClaimSpec> | null | undefined): Problems {
  const { accessModes, selector, resources, storageClassName, volumeMode, dataSource, dataSourceRef } = spec ?? {};
  if (!accessModes?.length) yield fieldError.required(`${field}.accessModes`, "at least 1 access mode is required");
  yield* labelSelector(`${field}.selector`, selector);
  yield* modes(`${field}.accessModes`, accessModes);
  const storage = resources?.requests?.["storage"];
  if (storage == null) yield fieldError.required(`${field}.resources[storage]`);
  else if (nanos(storage) <= 0n) yield fieldError.invalid(`${field}.resources[storage]`, storage, "must be greater than zero");
  if (storageClassName) yield* invalidFor(`${field}.storageClassName`, storageClassName, dnsSubdomainProblems(storageClassName));
  yield* maybeOneOf(`${field}.volumeMode`, volumeMode, VOLUME_MODES);
  if (dataSource) yield* source(`${field}.dataSource`, dataSource);
  if (dataSourceRef) yield* source(`${field}.dataSourceRef`, dataSourceRef);
  if (!dataSource || !dataSourceRef) return;
  const matches = (["apiGroup", "kind", "name"] as const).every((name) => (dataSource[name] ?? "") === (dataSourceRef[name] ?? ""));
  if (dataSourceRef.namespace) yield fieldError.invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified");
  else if (!matches) yield fieldError.invalid(field, {}, "must match dataSourceRef");
}

export function* modes(field: string, accessModes: readonly string[] | null | undefined): Problems {
  for (const mode of accessModes ?? []) if (!ACCESS_MODES.includes(mode)) yield fieldError.notSupported(field, mode, ACCESS_MODES);
  const others = accessModes?.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode));
  if (accessModes?.includes("ReadWriteOncePod") && others) {
    yield fieldError.forbidden(field, "may not use ReadWriteOncePod with other access modes");
  }
}

function* source(field: string, { apiGroup, kind, name, namespace }: Loose<TypedObjectReference>): Problems {
  yield* required(`${field}.name`, name);
  yield* required(`${field}.kind`, kind);
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    yield fieldError.invalid(field, kind ?? "", "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup) yield* invalidFor(`${field}.apiGroup`, apiGroup, dnsSubdomainProblems(apiGroup));
  if (namespace) yield* dnsLabel(`${field}.namespace`, namespace);
}
