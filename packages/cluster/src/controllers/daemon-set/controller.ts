import { allow } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import { ControllerRevision, DaemonSet } from "pintle/kinds/apps/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { createChildClaims } from "../workload/child-claims.ts";
import { sortRevisions, syncRevisionHistory, truncateHistory } from "../workload/controller-history.ts";
import { createPodControl, isNamespaceTerminating } from "../workload/pod-control.ts";
import { slowStartBatch } from "../workload/slow-start-batch.ts";
import { buildDaemonPodSpec, getTargetNode, pinToNode } from "./node-fit.ts";
import { planDaemonSet, REVISION_LABEL } from "./plan.ts";

const TEMPLATE_GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

/** Starts the controller that runs one pod of each DaemonSet on every eligible node. */
export function startDaemonSetController(context: ControllerContext): ControlPlaneComponent {
  const { clock, cache } = context;
  const claims = createChildClaims(cache, { owner: DaemonSet, child: Pod });
  const nodes = cache.watch(Node);
  const daemonSets = controller(DaemonSet, {
    name: "daemonset-controller",
    owns: [Pod, ControllerRevision],
    watches: {
      orphans: claims.watch,
      nodes: {
        kind: Node,
        by: () => claims.owners.list().map(({ metadata }) => metadata),
        // Heartbeats do not affect scheduling.
        when: (old, now) => old === undefined || now === undefined || getSchedulingFields(old) !== getSchedulingFields(now),
      },
    },
    needs: [
      allow(Pod, "create", "patch", "delete"),
      allow(ControllerRevision, "create", "update", "delete"),
      allow(DaemonSet, "status/update"),
    ],
    async reconcile({ object: set, owned, client, event, want }) {
      const { template, revisionHistoryLimit } = set.spec;
      await claims.claim(client, set, owned(Pod).list());
      const collisionCount = set.status.collisionCount ?? 0;
      const owner = { object: set, reference: buildControllerRef(DaemonSet, set), template, hashLabel: REVISION_LABEL, collisionCount };
      const revision = await syncRevisionHistory(client, owner, sortRevisions(owned(ControllerRevision).list()));
      if (revision === undefined) {
        await client.status.replace(DaemonSet, { ...set, status: { ...set.status, collisionCount: collisionCount + 1 } }, FIELD_MANAGER);
        return undefined;
      }
      const hash = revision.metadata.labels?.[REVISION_LABEL] ?? "";
      const computePlan = () => planDaemonSet(set, owned(Pod).list(), nodes.list(), hash, clock.now());
      const { create, remove, failed } = computePlan();
      const pods = createPodControl(client, DaemonSet, event);
      for (const pod of failed) {
        const message = `Found failed daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${getTargetNode(pod.spec)}, will try to kill it`;
        event("FailedDaemonPod", message, { type: "Warning" });
      }
      const labels = {
        [REVISION_LABEL]: hash,
        "pod-template-generation": set.metadata.annotations?.[TEMPLATE_GENERATION_ANNOTATION] ?? String(set.metadata.generation),
      };
      const spec = buildDaemonPodSpec(template);
      const { failure } = await slowStartBatch(create.length, (i) =>
        pods.create(set, template, { labels, spec: pinToNode(spec, create[i]!) }),
      );
      for (const pod of [...remove, ...failed]) await pods.delete(pod);
      if (isNamespaceTerminating(failure)) return undefined;

      const { status, requeueAfter } = computePlan();
      if (canonicalJson(status) !== canonicalJson(set.status)) await client.status.replace(DaemonSet, { ...set, status }, FIELD_MANAGER);
      const inUse = new Set([
        revision.metadata.name,
        ...owned(Pod)
          .list()
          .map(({ metadata }) => `${set.metadata.name}-${metadata.labels?.[REVISION_LABEL]}`),
      ]);
      await truncateHistory(client, owned(ControllerRevision).list(), inUse, revisionHistoryLimit);
      if (failure !== undefined) throw failure;
      return requeueAfter === undefined ? undefined : want({ requeueAfter });
    },
  });
  return startControllerComponent(daemonSets, context, [...claims.views, nodes]);
}

/** Serializes the fields of a node that decide whether daemon pods run there. */
function getSchedulingFields({ metadata, spec }: Node): string {
  return canonicalJson([metadata.labels ?? {}, spec.taints ?? [], spec.unschedulable ?? false] as never);
}
