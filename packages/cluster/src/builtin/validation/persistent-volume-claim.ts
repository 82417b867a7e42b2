import type { PersistentVolumeClaimSpec, TypedObjectReference } from "pintle/kinds/core/v1";
import { fieldError, validateDnsSubdomain } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { nanos } from "../quantities.ts";
import { validateLabelSelector } from "./labels.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateEnum, validateRequired } from "./validators.ts";

export const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const VOLUME_MODES = ["Block", "Filesystem"];

/** Validates the spec of a claim, also in claim templates of pods and stateful sets. */
export function* validateClaimSpec(field: string, spec: Unvalidated<PersistentVolumeClaimSpec> | null | undefined): FieldErrors {
  const { accessModes, selector, resources, storageClassName, volumeMode, dataSource, dataSourceRef } = spec ?? {};
  if (!accessModes?.length) yield fieldError.required(`${field}.accessModes`, "at least 1 access mode is required");
  yield* validateLabelSelector(`${field}.selector`, selector);
  yield* validateAccessModes(`${field}.accessModes`, accessModes);
  const storage = resources?.requests?.["storage"];
  if (storage == null) yield fieldError.required(`${field}.resources[storage]`);
  else if (nanos(storage) <= 0n) yield fieldError.invalid(`${field}.resources[storage]`, storage, "must be greater than zero");
  if (storageClassName) yield* createInvalidErrors(`${field}.storageClassName`, storageClassName, validateDnsSubdomain(storageClassName));
  yield* validateEnum(`${field}.volumeMode`, volumeMode, VOLUME_MODES);
  if (dataSource) yield* validateDataSource(`${field}.dataSource`, dataSource);
  if (dataSourceRef) yield* validateDataSource(`${field}.dataSourceRef`, dataSourceRef);
  if (!dataSource || !dataSourceRef) return;
  const matches = (["apiGroup", "kind", "name"] as const).every((name) => (dataSource[name] ?? "") === (dataSourceRef[name] ?? ""));
  if (dataSourceRef.namespace) yield fieldError.invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified");
  else if (!matches) yield fieldError.invalid(field, {}, "must match dataSourceRef");
}

export function* validateAccessModes(field: string, accessModes: readonly string[] | null | undefined): FieldErrors {
  for (const mode of accessModes ?? []) if (!ACCESS_MODES.includes(mode)) yield fieldError.notSupported(field, mode, ACCESS_MODES);
  const others = accessModes?.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode));
  if (accessModes?.includes("ReadWriteOncePod") && others) {
    yield fieldError.forbidden(field, "may not use ReadWriteOncePod with other access modes");
  }
}

function* validateDataSource(field: string, { apiGroup, kind, name, namespace }: Unvalidated<TypedObjectReference>): FieldErrors {
  yield* validateRequired(`${field}.name`, name);
  yield* validateRequired(`${field}.kind`, kind);
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    yield fieldError.invalid(field, kind ?? "", "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup) yield* createInvalidErrors(`${field}.apiGroup`, apiGroup, validateDnsSubdomain(apiGroup));
  if (namespace) yield* validateDnsLabelField(`${field}.namespace`, namespace);
}
