import { AlreadyExists, allow, NotFound } from "pintle/client";
import { controller } from "pintle/controller";
import { ControllerRevision, StatefulSet } from "pintle/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { claim, orphansOf } from "../claims.ts";
import { keepHistory } from "../history/keep-history.ts";
import { byNumber, surplus, templateOf } from "../history/revisions.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controlledBy, controllerOf } from "../owner.ts";
import type { Part, Plant } from "../part.ts";
import { isNamespaceGoing, textOf } from "../pod-control.ts";
import { selecting } from "../selecting.ts";
import { claimName, claimsOf, podOf, REVISION_LABEL } from "./identity.ts";
import { isInRange, ordinalOf } from "./ordinals.ts";
import { claimOwners } from "./retention.ts";
import { statefulSetStatus } from "./status.ts";
import { statefulSetStep } from "./step.ts";

const HASH = "controller.kubernetes.io/hash";

/** Keeps pods with names and volumes of their own, one after the other. */
export function statefulSets(plant: Plant): Part {
  const { clock, cache } = plant;
  const views = [cache.watch(Pod), cache.watch(StatefulSet), cache.watch(PersistentVolumeClaim)] as const;
  const orphans = orphansOf(views[0]);
  const choosing = selecting(views[1], "stateful sets by selector", ({ spec }) => spec.selector);
  const claims = views[2];
  const made = controller(StatefulSet, {
    name: "statefulset-controller",
    owns: [Pod, ControllerRevision],
    watches: {
      orphans: {
        kind: Pod,
        by: (pod) =>
          controllerOf(pod) === undefined ? choosing(pod.metadata.labels, pod.metadata.namespace).map(({ metadata }) => metadata) : [],
      },
    },
    needs: [
      allow(Pod, "create", "patch", "delete"),
      allow(PersistentVolumeClaim, "create", "update"),
      allow(ControllerRevision, "create", "update", "delete"),
      allow(StatefulSet, "status/update"),
    ],
    async reconcile({ object: set, owned, client, event, want }) {
      const { namespace, name } = set.metadata;
      await claim({
        client,
        kind: Pod,
        ownerKind: StatefulSet,
        owner: set,
        selector: set.spec.selector,
        owned: owned(Pod).all(),
        orphans: orphans(namespace).filter((pod) => ordinalOf(set, pod) !== undefined),
      });
      let collisions = set.status.collisionCount ?? 0;
      const history = byNumber(owned(ControllerRevision).all());
      const facts = { object: set, reference: controlledBy(StatefulSet, set), template: set.spec.template, hashLabel: HASH };
      let updated = await keepHistory(client, { ...facts, collisions }, history);
      for (; updated === undefined; updated = await keepHistory(client, { ...facts, collisions }, history)) collisions++;
      const current = history.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? updated;
      const revisions = { current: current.metadata.name, update: updated.metadata.name };
      const pods = () => owned(Pod).all();

      const { create, remove, again } = statefulSetStep(set, pods(), revisions, clock.now());
      for (const { ordinal, revision } of create) await makePod(ordinal, revision);
      for (const pod of pods()) await keepClaims(pod);
      for (const pod of remove) await removePod(pod);

      const status = statefulSetStatus(set, pods(), revisions, collisions, clock.now());
      if (canonical(status) !== canonical(set.status)) await client.status.replace(StatefulSet, { ...set, status }, MANAGED);
      await forget(
        new Set([revisions.current, revisions.update, ...pods().map(({ metadata }) => metadata.labels?.[REVISION_LABEL] ?? "")]),
      );
      return again === undefined ? undefined : want({ requeueAfter: again });

      async function makePod(ordinal: number, revision: string) {
        const template = revision === revisions.update ? set.spec.template : templateOf(current);
        const pod = podOf(set, ordinal, template, revision);
        const what = `Create Pod ${pod.metadata.name} in StatefulSet ${name}`;
        try {
          for (const wanted of claimsOf(set, ordinal)) {
            if (claims.get(wanted.metadata) !== undefined) continue;
            await client.create(PersistentVolumeClaim, wanted, MANAGED);
            event("SuccessfulCreate", `Create Claim ${wanted.metadata.name} Pod ${pod.metadata.name} in StatefulSet ${name} success`);
          }
          await client.create(Pod, pod, MANAGED);
          event("SuccessfulCreate", `${what} successful`);
        } catch (error) {
          if (error instanceof AlreadyExists || isNamespaceGoing(error)) return;
          event("FailedCreate", `${what} failed error: ${textOf(error)}`, { type: "Warning" });
          throw error;
        }
      }
      async function removePod({ metadata }: Pod) {
        try {
          await client.delete(Pod, metadata, { uid: metadata.uid });
          event("SuccessfulDelete", `Delete Pod ${metadata.name} in StatefulSet ${name} successful`);
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
        }
      }
      /** Claims go with the pod or with the set, where the set says so. */
      async function keepClaims(pod: Pod) {
        const ordinal = ordinalOf(set, pod);
        if (ordinal === undefined) return;
        for (const { metadata } of set.spec.volumeClaimTemplates ?? []) {
          const known = claims.get({ name: claimName(set, metadata?.name ?? "", ordinal), namespace });
          if (known === undefined || known.metadata.deletionTimestamp !== undefined) continue;
          const ownerReferences = claimOwners(set, known, pod, !isInRange(set, ordinal));
          if (ownerReferences === undefined) continue;
          await client.replace(PersistentVolumeClaim, { ...known, metadata: { ...known.metadata, ownerReferences } }, MANAGED);
        }
      }
      async function forget(inUse: ReadonlySet<string>) {
        for (const { metadata } of surplus(byNumber(owned(ControllerRevision).all()), inUse, set.spec.revisionHistoryLimit ?? 10)) {
          await client.delete(ControllerRevision, metadata, { uid: metadata.uid });
        }
      }
    },
  });
  return operated(made, plant, views);
}
