import type { PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../../api/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { persistentVolumeClaimPrinter, persistentVolumePrinter } from "../../printers/core.ts";
import { compareQuantities, nanos } from "../../quantities.ts";
import { validateNoBacksteps } from "../../validation/file-paths.ts";
import { VOLUME_MODES, validateAccessModes, validateClaimSpec } from "../../validation/persistent-volume-claim.ts";
import { validateNodeSelector } from "../../validation/scheduling.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printInternal,
  validateDnsSubdomainField,
  validateEnum,
  validateImmutableField,
  validateRequired,
} from "../../validation/validators.ts";
import { SHARED_SOURCE_VALIDATORS, validateCsiDriverName } from "../../validation/volumes.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const persistentVolumeStrategy = defineStrategy<PersistentVolume>({
  prepareForCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: formatTimestamp(now) };
  },
  validate: validatePersistentVolume,
  validateUpdate: function* (object, live) {
    yield* validatePersistentVolume(object);
    if (!isSemanticallyEqual(getSource(object), getSource(live))) {
      yield fieldError.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n");
    }
    yield* validateImmutableField("volumeMode", object.spec?.volumeMode, live.spec?.volumeMode);
    if (live.spec?.nodeAffinity && !isSemanticallyEqual(object.spec?.nodeAffinity, live.spec.nodeAffinity)) {
      const internal = toInternalAffinity(object.spec?.nodeAffinity);
      yield fieldError.invalid("nodeAffinity", internal, "field is immutable, except for updating from beta label to GA");
    }
  },
  status: {
    prepareForUpdate(draft, live, { now }) {
      draft.spec = live.spec as never;
      const was = live.status?.lastPhaseTransitionTime;
      if (!draft.status) return;
      if (draft.status.phase === live.status?.phase) draft.status.lastPhaseTransitionTime ??= was;
      else if ((draft.status.lastPhaseTransitionTime ?? was) === was) draft.status.lastPhaseTransitionTime = formatTimestamp(now);
    },
  },
  tablePrinter: persistentVolumePrinter,
});

type Affinity = NonNullable<Unvalidated<PersistentVolume>["spec"]>["nodeAffinity"];
type Terms = NonNullable<NonNullable<NonNullable<Affinity>["required"]>["nodeSelectorTerms"]>;

/** Returns the value in the internal version, whose Go field names kube-apiserver prints in errors. */
function toInternalAffinity(affinity: Affinity): unknown {
  if (!affinity) return null;
  const requirements = (all: Terms[number]["matchExpressions"]) =>
    all?.map(({ key, operator, values }) => ({ Key: key ?? "", Operator: operator ?? "", Values: values ?? null })) ?? null;
  const terms = affinity.required?.nodeSelectorTerms?.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: requirements(matchExpressions),
    MatchFields: requirements(matchFields),
  }));
  return printInternal({ Required: affinity.required ? { NodeSelectorTerms: terms ?? null } : null });
}

/** Fields of the spec that are not the volume source. */
const COMMON_FIELDS = new Set(
  `accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName volumeAttributesClassName
   volumeMode`.split(/\s+/),
);

/** Volume sources in the order of kube-apiserver. */
const SOURCE_ORDER =
  `hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume azureFile
  vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi`.split(/\s+/);

function getSource({ spec }: Unvalidated<PersistentVolume>): Readonly<Record<string, unknown>> {
  const sources = Object.entries(spec ?? {}).filter(([name, value]) => !COMMON_FIELDS.has(name) && value != null);
  return Object.fromEntries(sources.sort(([a], [b]) => SOURCE_ORDER.indexOf(a) - SOURCE_ORDER.indexOf(b)));
}

function* validatePersistentVolume(object: Unvalidated<PersistentVolume>): FieldErrors {
  const spec = object.spec ?? {};
  yield* validateRequired("spec.accessModes", spec.accessModes);
  yield* validateAccessModes("spec.accessModes", spec.accessModes);
  const capacity = Object.entries(spec.capacity ?? {});
  if (capacity.length === 0) yield fieldError.required("spec.capacity");
  if (spec.capacity?.["storage"] == null || capacity.length > 1) {
    yield fieldError.notSupported("spec.capacity", spec.capacity ?? null, ["storage"]);
  }
  for (const [name, value] of capacity) {
    const size = nanos(value ?? "0");
    if (size < 0n) yield fieldError.invalid(`spec.capacity[${name}]`, size / 1_000_000_000n, "must be a valid resource quantity");
    if (size <= 0n) yield fieldError.invalid(`spec.capacity[${name}]`, value, "must be greater than zero");
  }
  yield* validateEnum("spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy || undefined, [
    "Delete",
    "Recycle",
    "Retain",
  ]);
  if (spec.nodeAffinity) {
    if (spec.nodeAffinity.required) yield* validateNodeSelector("spec.nodeAffinity.required", spec.nodeAffinity.required);
    else yield fieldError.required("spec.nodeAffinity.required", "must specify required node constraints");
  }
  const sources = Object.keys(getSource(object));
  if (sources.length === 0) yield fieldError.required("spec", "must specify a volume type");
  yield* validateVolumeSource(spec);
  for (const extra of sources.slice(1)) yield fieldError.forbidden(`spec.${extra}`, "may not specify more than 1 volume type");
  if (spec.hostPath && spec.hostPath.path === "/" && spec.persistentVolumeReclaimPolicy === "Recycle") {
    yield fieldError.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (spec.storageClassName) yield* validateDnsSubdomainField("spec.storageClassName", spec.storageClassName);
  yield* validateEnum("spec.volumeMode", spec.volumeMode, VOLUME_MODES);
}

function* validateVolumeSource({ hostPath, nfs, local, csi }: NonNullable<Unvalidated<PersistentVolume>["spec"]>): FieldErrors {
  if (hostPath) yield* SHARED_SOURCE_VALIDATORS.hostPath("spec.hostPath", hostPath);
  else if (nfs) yield* SHARED_SOURCE_VALIDATORS.nfs("spec.nfs", nfs);
  else if (local) {
    yield* validateRequired("spec.local.path", local.path);
    yield* validateNoBacksteps("spec.local.path", local.path ?? "");
  } else if (csi) {
    yield* validateCsiDriverName("spec.csi.driver", csi.driver);
    yield* validateRequired("spec.csi.volumeHandle", csi.volumeHandle);
  }
}

const IMMUTABLE_CLAIM_MESSAGE = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

export const persistentVolumeClaimStrategy = defineStrategy<PersistentVolumeClaim>({
  prepareForCreate: syncDataSources,
  prepareForUpdate: syncDataSources,
  validate: ({ spec }) => validateClaimSpec("spec", spec),
  validateUpdate: function* (object, live) {
    yield* validateClaimSpec("spec", object.spec);
    const bound = object.status?.phase === "Bound";
    if (!isSemanticallyEqual(removeMutableFields(object, live, bound), removeMutableFields(live, live, bound)))
      yield fieldError.forbidden("spec", `${IMMUTABLE_CLAIM_MESSAGE}\n`);
    const now = object.spec?.resources?.requests?.["storage"] ?? "0";
    const before = live.spec?.resources?.requests?.["storage"] ?? "0";
    if (compareQuantities(now, before) < 0 && compareQuantities(now, live.status?.capacity?.["storage"] ?? "0") <= 0) {
      yield fieldError.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
    }
    yield* validateImmutableField("volumeMode", object.spec?.volumeMode, live.spec?.volumeMode);
  },
  tablePrinter: persistentVolumeClaimPrinter,
});

/** Returns the spec of a claim without the fields that may change: unset ones, and the requests of bound claims. */
function removeMutableFields(
  { spec }: Unvalidated<PersistentVolumeClaim>,
  live: Unvalidated<PersistentVolumeClaim>,
  bound: boolean,
): object {
  const { volumeName, storageClassName, resources, volumeAttributesClassName, ...rest } = spec ?? {};
  return {
    ...rest,
    volumeName: live.spec?.volumeName ? volumeName : null,
    storageClassName: live.spec?.storageClassName == null ? null : storageClassName,
    resources: bound ? { limits: resources?.limits } : resources,
    volumeAttributesClassName: bound ? null : volumeAttributesClassName,
  };
}

const CLAIM_SOURCES = new Set(["/PersistentVolumeClaim", "snapshot.storage.k8s.io/VolumeSnapshot"]);

/** Synchronizes dataSource and dataSourceRef. */
function syncDataSources({ spec }: Draft<PersistentVolumeClaim>): void {
  if (!spec) return;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef && !CLAIM_SOURCES.has(`${dataSource.apiGroup ?? ""}/${dataSource.kind}`)) delete spec.dataSource;
  else if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup = null, kind, name } = dataSourceRef;
    spec.dataSource = { apiGroup, kind, name };
  }
}
