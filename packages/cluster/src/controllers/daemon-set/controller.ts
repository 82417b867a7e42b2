import { allow } from "pintle/client";
import { controller } from "pintle/controller";
import { ControllerRevision, DaemonSet } from "pintle/kinds/apps/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { claim, orphansOf } from "../claims.ts";
import { keepHistory } from "../history/keep-history.ts";
import { byNumber, surplus } from "../history/revisions.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controlledBy, controllerOf } from "../owner.ts";
import type { Part, Plant } from "../part.ts";
import { isNamespaceGoing, podControl } from "../pod-control.ts";
import { selecting } from "../selecting.ts";
import { slowStart } from "../slow-start.ts";
import { daemonSpec, nodeOf, tiedTo } from "./node-fit.ts";
import { daemonSetStep, REVISION_LABEL } from "./step.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** Keeps one pod on every node that takes it. */
export function daemonSets(plant: Plant): Part {
  const { clock, cache } = plant;
  const views = [cache.watch(Pod), cache.watch(DaemonSet), cache.watch(Node)] as const;
  const orphans = orphansOf(views[0]);
  const choosing = selecting(views[1], "daemon sets by selector", ({ spec }) => spec.selector);
  const made = controller(DaemonSet, {
    name: "daemonset-controller",
    owns: [Pod, ControllerRevision],
    watches: {
      orphans: {
        kind: Pod,
        by: (pod) =>
          controllerOf(pod) === undefined ? choosing(pod.metadata.labels, pod.metadata.namespace).map(({ metadata }) => metadata) : [],
      },
      nodes: {
        kind: Node,
        by: () => views[1].list().map(({ metadata }) => metadata),
        // Heartbeats change nothing for daemons.
        when: (old, now) => old === undefined || now === undefined || lookOf(old) !== lookOf(now),
      },
    },
    needs: [
      allow(Pod, "create", "patch", "delete"),
      allow(ControllerRevision, "create", "update", "delete"),
      allow(DaemonSet, "status/update"),
    ],
    async reconcile({ object: set, owned, client, event, want }) {
      const { template, selector, revisionHistoryLimit = 10 } = set.spec;
      await claim({
        client,
        kind: Pod,
        ownerKind: DaemonSet,
        owner: set,
        selector,
        owned: owned(Pod).all(),
        orphans: orphans(set.metadata.namespace),
      });
      const collisions = set.status.collisionCount ?? 0;
      const facts = { object: set, reference: controlledBy(DaemonSet, set), template, hashLabel: REVISION_LABEL, collisions };
      const revision = await keepHistory(client, facts, byNumber(owned(ControllerRevision).all()));
      if (revision === undefined) {
        await client.status.replace(DaemonSet, { ...set, status: { ...set.status, collisionCount: collisions + 1 } }, MANAGED);
        return undefined;
      }
      const hash = revision.metadata.labels?.[REVISION_LABEL] ?? "";
      const look = () => daemonSetStep(set, owned(Pod).all(), views[2].list(), hash, clock.now());
      const { create, remove, failed } = look();
      const pods = podControl(client, DaemonSet, event);
      for (const pod of failed) {
        const what = `Found failed daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${nodeOf(pod.spec)}, will try to kill it`;
        event("FailedDaemonPod", what, { type: "Warning" });
      }
      const labels = {
        [REVISION_LABEL]: hash,
        "pod-template-generation": set.metadata.annotations?.[TEMPLATE_GENERATION] ?? String(set.metadata.generation),
      };
      const spec = daemonSpec(template);
      const { failure } = await slowStart(create.length, (i) => pods.create(set, template, { labels, spec: tiedTo(spec, create[i]!) }));
      for (const pod of [...remove, ...failed]) await pods.delete(pod);
      if (isNamespaceGoing(failure)) return undefined;

      const { status, again } = look();
      if (canonical(status) !== canonical(set.status)) await client.status.replace(DaemonSet, { ...set, status }, MANAGED);
      const inUse = new Set([
        revision.metadata.name,
        ...owned(Pod)
          .all()
          .map(({ metadata }) => `${set.metadata.name}-${metadata.labels?.[REVISION_LABEL]}`),
      ]);
      for (const { metadata } of surplus(byNumber(owned(ControllerRevision).all()), inUse, revisionHistoryLimit)) {
        await client.delete(ControllerRevision, metadata, { uid: metadata.uid });
      }
      if (failure !== undefined) throw failure;
      return again === undefined ? undefined : want({ requeueAfter: again });
    },
  });
  return operated(made, plant, views);
}

/** What of a node decides whether daemons run there. */
function lookOf({ metadata, spec }: Node): string {
  return canonical([metadata.labels ?? {}, spec.taints ?? [], spec.unschedulable ?? false] as never);
}
