import type { PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { timestamp } from "../../api/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { persistentVolumeClaimTable, persistentVolumeTable } from "../table/core.ts";
import { compareQuantities, nanos } from "../text/quantities.ts";
import { claimSpec, modes, VOLUME_MODES } from "../validate/claim.ts";
import { noBacksteps } from "../validate/paths.ts";
import { dnsSubdomain, immutable, inner, maybeOneOf, type Problems, required, same } from "../validate/problems.ts";
import { nodeSelector } from "../validate/scheduling.ts";
import { csiDriverName, SHARED_SOURCES } from "../validate/volumes.ts";

export const persistentVolume = rules<PersistentVolume>({
  prepareCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: timestamp(now) };
  },
  validate: validateVolume,
  validateUpdate: function* (object, live) {
    yield* validateVolume(object);
    if (!same(sourceOf(object), sourceOf(live))) {
      yield fieldError.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n");
    }
    yield* immutable("volumeMode", object.spec?.volumeMode, live.spec?.volumeMode);
    if (live.spec?.nodeAffinity && !same(object.spec?.nodeAffinity, live.spec.nodeAffinity)) {
      const shown = affinityText(object.spec?.nodeAffinity);
      yield fieldError.invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA");
    }
  },
  status: {
    prepare(draft, live, { now }) {
      draft.spec = live.spec as never;
      const was = live.status?.lastPhaseTransitionTime;
      if (!draft.status) return;
      if (draft.status.phase === live.status?.phase) draft.status.lastPhaseTransitionTime ??= was;
      else if ((draft.status.lastPhaseTransitionTime ?? was) === was) draft.status.lastPhaseTransitionTime = timestamp(now);
    },
  },
  table: persistentVolumeTable,
});

type Affinity = NonNullable<Loose<PersistentVolume>["spec"]>["nodeAffinity"];
type Terms = NonNullable<NonNullable<NonNullable<Affinity>["required"]>["nodeSelectorTerms"]>;

/** As the server's own type is written, which is not the one it publishes. */
function affinityText(affinity: Affinity): unknown {
  if (!affinity) return null;
  const requirements = (all: Terms[number]["matchExpressions"]) =>
    all?.map(({ key, operator, values }) => ({ Key: key ?? "", Operator: operator ?? "", Values: values ?? null })) ?? null;
  const terms = affinity.required?.nodeSelectorTerms?.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: requirements(matchExpressions),
    MatchFields: requirements(matchFields),
  }));
  return inner({ Required: affinity.required ? { NodeSelectorTerms: terms ?? null } : null });
}

/** Fields of a volume's spec that are not its source. */
const COMMON = new Set(
  `accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName volumeAttributesClassName
   volumeMode`.split(/\s+/),
);

/** In the order the server looks at them. */
const ORDER = `hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume azureFile
  vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi`.split(/\s+/);

function sourceOf({ spec }: Loose<PersistentVolume>): Readonly<Record<string, unknown>> {
  const sources = Object.entries(spec ?? {}).filter(([name, value]) => !COMMON.has(name) && value != null);
  return Object.fromEntries(sources.sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)));
}

function* validateVolume(object: Loose<PersistentVolume>): Problems {
  const spec = object.spec ?? {};
  yield* required("spec.accessModes", spec.accessModes);
  yield* modes("spec.accessModes", spec.accessModes);
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
  yield* maybeOneOf("spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy || undefined, ["Delete", "Recycle", "Retain"]);
  if (spec.nodeAffinity) {
    if (spec.nodeAffinity.required) yield* nodeSelector("spec.nodeAffinity.required", spec.nodeAffinity.required);
    else yield fieldError.required("spec.nodeAffinity.required", "must specify required node constraints");
  }
  const sources = Object.keys(sourceOf(object));
  if (sources.length === 0) yield fieldError.required("spec", "must specify a volume type");
  yield* sourceProblems(spec);
  for (const extra of sources.slice(1)) yield fieldError.forbidden(`spec.${extra}`, "may not specify more than 1 volume type");
  if (spec.hostPath && spec.hostPath.path === "/" && spec.persistentVolumeReclaimPolicy === "Recycle") {
    yield fieldError.forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (spec.storageClassName) yield* dnsSubdomain("spec.storageClassName", spec.storageClassName);
  yield* maybeOneOf("spec.volumeMode", spec.volumeMode, VOLUME_MODES);
}

function* sourceProblems({ hostPath, nfs, local, csi }: NonNullable<Loose<PersistentVolume>["spec"]>): Problems {
  if (hostPath) yield* SHARED_SOURCES.hostPath("spec.hostPath", hostPath);
  else if (nfs) yield* SHARED_SOURCES.nfs("spec.nfs", nfs);
  else if (local) {
    yield* required("spec.local.path", local.path);
    yield* noBacksteps("spec.local.path", local.path ?? "");
  } else if (csi) {
    yield* csiDriverName("spec.csi.driver", csi.driver);
    yield* required("spec.csi.volumeHandle", csi.volumeHandle);
  }
}

const FIXED = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

export const persistentVolumeClaim = rules<PersistentVolumeClaim>({
  prepareCreate: sameSources,
  prepareUpdate: sameSources,
  validate: ({ spec }) => claimSpec("spec", spec),
  validateUpdate: function* (object, live) {
    yield* claimSpec("spec", object.spec);
    const bound = object.status?.phase === "Bound";
    if (!same(comparable(object, live, bound), comparable(live, live, bound))) yield fieldError.forbidden("spec", `${FIXED}\n`);
    const now = object.spec?.resources?.requests?.["storage"] ?? "0";
    const before = live.spec?.resources?.requests?.["storage"] ?? "0";
    if (compareQuantities(now, before) < 0 && compareQuantities(now, live.status?.capacity?.["storage"] ?? "0") <= 0) {
      yield fieldError.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
    }
    yield* immutable("volumeMode", object.spec?.volumeMode, live.spec?.volumeMode);
  },
  table: persistentVolumeClaimTable,
});

/** What of a claim may not change: not what is still to be decided, nor, once bound, how much it asks for. */
function comparable({ spec }: Loose<PersistentVolumeClaim>, live: Loose<PersistentVolumeClaim>, bound: boolean): object {
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

/** dataSource is the older name of dataSourceRef; each is filled in from the other. */
function sameSources({ spec }: Draft<PersistentVolumeClaim>): void {
  if (!spec) return;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef && !CLAIM_SOURCES.has(`${dataSource.apiGroup ?? ""}/${dataSource.kind}`)) delete spec.dataSource;
  else if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup = null, kind, name } = dataSourceRef;
    spec.dataSource = { apiGroup, kind, name };
  }
}
