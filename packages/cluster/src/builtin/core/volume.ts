import type { PersistentVolume, PersistentVolumeClaim } from "pintle/kinds/core/v1";
import { timestamp } from "../../api/index.ts";
import type { Draft } from "../draft.ts";
import { rules } from "../rules.ts";
import { persistentVolumeClaimTable, persistentVolumeTable } from "../table/core.ts";

export const persistentVolume = rules<PersistentVolume>({
  prepareCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: timestamp(now) };
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

export const persistentVolumeClaim = rules<PersistentVolumeClaim>({
  prepareCreate: sameSources,
  prepareUpdate: sameSources,
  table: persistentVolumeClaimTable,
});

const CLAIM_SOURCES = new Set(["/PersistentVolumeClaim", "snapshot.storage.k8s.io/VolumeSnapshot"]);

/** dataSource is the older name of dataSourceRef; each is filled in from the other. */
function sameSources({ spec }: Draft<PersistentVolumeClaim>): void {
  if (!spec) return;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef && !CLAIM_SOURCES.has(`${dataSource.apiGroup ?? ""}/${dataSource.kind}`)) delete spec.dataSource;
  else if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup = null, kind, name } = dataSourceRef;
    if (CLAIM_SOURCES.has(`${apiGroup ?? ""}/${kind}`)) spec.dataSource = { apiGroup, kind, name };
  }
}
