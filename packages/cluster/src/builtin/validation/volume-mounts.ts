import type { Container, Volume, VolumeMount } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateRelativePath } from "./file-paths.ts";
import { type FieldErrors, validateEnum, validateRequired } from "./validators.ts";

type VolumesByName = ReadonlyMap<string, Unvalidated<Volume>>;

/** Validates volume mounts and volume devices of a container. */
export function* validateVolumeMounts(field: string, container: Unvalidated<Container>, volumes: VolumesByName): FieldErrors {
  const { volumeMounts, volumeDevices } = container;
  const paths = new Set<string>();
  for (const [i, mount] of (volumeMounts ?? []).entries()) {
    const at = `${field}.volumeMounts[${i}]`;
    const { name = "", mountPath = "" } = mount;
    yield* validateRequired(`${at}.name`, name);
    if (!volumes.has(name ?? "")) yield fieldError.notFound(`${at}.name`, name ?? "");
    yield* validateRequired(`${at}.mountPath`, mountPath);
    if (paths.has(mountPath ?? "")) yield fieldError.invalid(`${at}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath ?? "");
    if (volumeDevices?.some((device) => device.name === name)) {
      yield fieldError.invalid(`${at}.name`, name, "must not already exist in volumeDevices");
    }
    if (volumeDevices?.some((device) => device.devicePath === mountPath)) {
      yield fieldError.invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    // kube-apiserver reports the path of the list here, not that of the item.
    yield* validateSubPaths(`${field}.volumeMounts`, at, mount);
    yield* validateMountPropagation(`${field}.volumeMounts`, mount, container);
  }
  yield* validateVolumeDevices(`${field}.volumeDevices`, container, volumes);
}

function* validateSubPaths(list: string, item: string, { subPath, subPathExpr }: Unvalidated<VolumeMount>): FieldErrors {
  if (subPath) yield* validateRelativePath(`${list}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath) yield fieldError.invalid(`${item}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
  yield* validateRelativePath(`${list}.subPathExpr`, subPathExpr);
}

function* validateMountPropagation(
  field: string,
  mount: Unvalidated<VolumeMount>,
  { securityContext }: Unvalidated<Container>,
): FieldErrors {
  const { mountPropagation, recursiveReadOnly, readOnly } = mount;
  yield* validateEnum(`${field}.mountPropagation`, mountPropagation, ["Bidirectional", "HostToContainer", "None"]);
  if (mountPropagation === "Bidirectional" && securityContext?.privileged !== true) {
    yield fieldError.forbidden(`${field}.mountPropagation`, "Bidirectional mount propagation is available only to privileged containers");
  }
  yield* validateEnum(`${field}.recursiveReadOnly`, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]);
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") return;
  const at = `${field}.recursiveReadOnly`;
  if (!readOnly) yield fieldError.forbidden(at, "may only be specified when readOnly is true");
  if (mountPropagation && mountPropagation !== "None") {
    yield fieldError.forbidden(at, "may only be specified when mountPropagation is None or not specified");
  }
}

function* validateVolumeDevices(
  field: string,
  { volumeMounts, volumeDevices }: Unvalidated<Container>,
  volumes: VolumesByName,
): FieldErrors {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, device] of (volumeDevices ?? []).entries()) {
    const at = `${field}[${i}]`;
    const name = device.name ?? "";
    const path = device.devicePath ?? "";
    const volume = volumes.get(name);
    yield* validateRequired(`${at}.name`, name);
    if (names.has(name)) yield fieldError.invalid(`${at}.name`, name, "must be unique");
    if (volume === undefined) yield fieldError.notFound(`${at}.name`, name);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      yield fieldError.invalid(`${at}.name`, name, why);
    }
    yield* validateRequired(`${at}.devicePath`, path);
    if (paths.has(path)) yield fieldError.invalid(`${at}.devicePath`, path, "must be unique");
    if (path.split("/").includes("..")) yield fieldError.invalid(`${at}.devicePath`, path, "can not contain backsteps ('..')");
    if (volumeMounts?.some((mount) => mount.name === name)) {
      yield fieldError.invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    }
    if (volumeMounts?.some((mount) => mount.mountPath === path)) {
      yield fieldError.invalid(`${at}.devicePath`, path, "must not already exist as a path in volumeMounts");
    }
    names.add(name);
    paths.add(path);
  }
}
