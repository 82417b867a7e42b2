import { AlreadyExists, allow, NotFound } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import { ControllerRevision, StatefulSet, type StatefulSetStatus } from "pintle/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { getPodAvailableAt, isPodReady } from "../shared/pod-readiness.ts";
import { createChildClaims } from "../workload/child-claims.ts";
import { getRevisionTemplate, sortRevisions, syncRevisionHistory, truncateHistory } from "../workload/controller-history.ts";
import { getErrorMessage, isNamespaceTerminating } from "../workload/pod-control.ts";
import { getOrdinal, isOrdinalInRange } from "./ordinals.ts";
import { planStatefulSet, type Revisions } from "./plan.ts";
import { buildClaims, buildPod, computeClaimOwners, getClaimName, REVISION_LABEL } from "./pod-identity.ts";

const HASH_LABEL = "controller.kubernetes.io/hash";

/** Starts the controller that runs pods with stable names and volumes, one after the other. */
export function startStatefulSetController(context: ControllerContext): ControlPlaneComponent {
  const { clock, cache } = context;
  const podClaims = createChildClaims(cache, {
    owner: StatefulSet,
    child: Pod,
    canAdopt: (set, pod) => getOrdinal(set, pod) !== undefined,
  });
  const volumeClaims = cache.watch(PersistentVolumeClaim);
  const statefulSets = controller(StatefulSet, {
    name: "statefulset-controller",
    owns: [Pod, ControllerRevision],
    watches: {
      orphans: podClaims.watch,
    },
    needs: [
      allow(Pod, "create", "patch", "delete"),
      allow(PersistentVolumeClaim, "create", "update"),
      allow(ControllerRevision, "create", "update", "delete"),
      allow(StatefulSet, "status/update"),
    ],
    async reconcile({ object: set, owned, client, event, want }) {
      const { namespace, name } = set.metadata;
      await podClaims.claim(client, set, owned(Pod).list());
      let collisionCount = set.status.collisionCount ?? 0;
      const history = sortRevisions(owned(ControllerRevision).list());
      const owner = { object: set, reference: buildControllerRef(StatefulSet, set), template: set.spec.template, hashLabel: HASH_LABEL };
      let updated = await syncRevisionHistory(client, { ...owner, collisionCount }, history);
      for (; updated === undefined; updated = await syncRevisionHistory(client, { ...owner, collisionCount }, history)) collisionCount++;
      const current = history.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? updated;
      const revisions = { current: current.metadata.name, update: updated.metadata.name };
      const pods = () => owned(Pod).list();

      const { create, remove, requeueAfter } = planStatefulSet(set, pods(), revisions, clock.now());
      for (const { ordinal, revision } of create) await createPod(ordinal, revision);
      for (const pod of pods()) await updateClaimOwners(pod);
      for (const pod of remove) await deletePod(pod);

      const status = computeStatus(set, pods(), revisions, collisionCount, clock.now());
      if (canonicalJson(status) !== canonicalJson(set.status)) await client.status.replace(StatefulSet, { ...set, status }, FIELD_MANAGER);
      const inUse = new Set([
        revisions.current,
        revisions.update,
        ...pods().map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? ""),
      ]);
      await truncateHistory(client, owned(ControllerRevision).list(), inUse, set.spec.revisionHistoryLimit);
      return requeueAfter === undefined ? undefined : want({ requeueAfter });

      async function createPod(ordinal: number, revision: string) {
        const template = revision === revisions.update ? set.spec.template : getRevisionTemplate(current);
        const pod = buildPod(set, ordinal, template, revision);
        const action = `Create Pod ${pod.metadata.name} in StatefulSet ${name}`;
        try {
          for (const claim of buildClaims(set, ordinal)) {
            if (volumeClaims.get(claim.metadata) !== undefined) continue;
            await client.create(PersistentVolumeClaim, claim, FIELD_MANAGER);
            event("SuccessfulCreate", `Create Claim ${claim.metadata.name} Pod ${pod.metadata.name} in StatefulSet ${name} success`);
          }
          await client.create(Pod, pod, FIELD_MANAGER);
          event("SuccessfulCreate", `${action} successful`);
        } catch (error) {
          if (error instanceof AlreadyExists || isNamespaceTerminating(error)) return;
          event("FailedCreate", `${action} failed error: ${getErrorMessage(error)}`, { type: "Warning" });
          throw error;
        }
      }
      async function deletePod({ metadata }: Pod) {
        try {
          await client.delete(Pod, metadata, { uid: metadata.uid });
          event("SuccessfulDelete", `Delete Pod ${metadata.name} in StatefulSet ${name} successful`);
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
        }
      }
      /** Sets the owners of the claims, which the retention policy binds to the pod or to the StatefulSet. */
      async function updateClaimOwners(pod: Pod) {
        const ordinal = getOrdinal(set, pod);
        if (ordinal === undefined) return;
        for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
          const existing = volumeClaims.get({ name: getClaimName(set, metadata?.name ?? "", ordinal), namespace });
          if (existing === undefined || existing.metadata.deletionTimestamp !== undefined) continue;
          const ownerReferences = computeClaimOwners(set, existing, pod, !isOrdinalInRange(set, ordinal));
          if (ownerReferences === undefined) continue;
          await client.replace(PersistentVolumeClaim, { ...existing, metadata: { ...existing.metadata, ownerReferences } }, FIELD_MANAGER);
        }
      }
    },
  });
  return startControllerComponent(statefulSets, context, [...podClaims.views, volumeClaims]);
}

/** Computes the replica counts and revisions. The update revision becomes the current one when all pods are updated. Pure. */
function computeStatus(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, collisions: number, now: number): StatefulSetStatus {
  const minReady = set.spec.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  const isOf = (revision: string) => (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && pod.metadata.labels?.[REVISION_LABEL] === revision;
  const isRunning = ({ status }: Pod) => status.phase === "Running";
  const replicas = count(() => true);
  const readyReplicas = count((pod) => isRunning(pod) && isPodReady(pod));
  const updatedReplicas = count(isOf(revisions.update));
  const wanted = set.spec.replicas ?? 1;
  const rolling = set.spec.updateStrategy?.type !== "OnDelete";
  const complete = rolling && updatedReplicas === replicas && readyReplicas === replicas && replicas === wanted;
  return {
    observedGeneration: set.metadata.generation,
    replicas,
    readyReplicas,
    currentReplicas: complete ? updatedReplicas : count(isOf(revisions.current)),
    updatedReplicas,
    currentRevision: complete ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: collisions,
    availableReplicas: count((pod) => isRunning(pod) && (getPodAvailableAt(pod, minReady) ?? Number.POSITIVE_INFINITY) <= now),
    ...(set.status.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
