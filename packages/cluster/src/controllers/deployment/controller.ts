import { AlreadyExists, allow, type NewObject } from "pintle/client";
import { controller } from "pintle/controller";
import { Deployment, ReplicaSet, type ReplicaSetKind } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { canonical } from "pintle/merge";
import { timestamp } from "../../api/index.ts";
import { claim, orphansOf } from "../claims.ts";
import { MANAGED } from "../managed.ts";
import { operated } from "../operated.ts";
import { controlledBy, controllerOf } from "../owner.ts";
import type { Part, Plant } from "../part.ts";
import { selecting } from "../selecting.ts";
import { sizeOf } from "./limits.ts";
import { REVISION, sizeAnnotations } from "./revision.ts";
import type { Resize } from "./scale.ts";
import { withCondition } from "./status.ts";
import { deploymentStep } from "./step.ts";
import { sameTemplate, TEMPLATE_HASH, templateHash } from "./template-hash.ts";

/** Rolls a template out over ReplicaSets, and back. */
export function deployments(plant: Plant): Part {
  const { clock, cache } = plant;
  const views = [cache.watch(ReplicaSet), cache.watch(Deployment), cache.watch(Pod)] as const;
  const orphans = orphansOf(views[0]);
  const choosing = selecting(views[1], "deployments by selector", ({ spec }) => spec.selector);
  const pods = views[2];
  const made = controller(Deployment, {
    name: "deployment-controller",
    owns: [ReplicaSet],
    watches: {
      orphans: {
        kind: ReplicaSet,
        by: (set) =>
          controllerOf(set) === undefined ? choosing(set.metadata.labels, set.metadata.namespace).map(({ metadata }) => metadata) : [],
      },
    },
    needs: [allow(ReplicaSet, "create", "update", "patch", "delete"), allow(Deployment, "status/update")],
    async reconcile({ object: deployment, owned, client, event, want }) {
      const sets = await claim({
        client,
        kind: ReplicaSet,
        ownerKind: Deployment,
        owner: deployment,
        selector: deployment.spec.selector,
        owned: owned(ReplicaSet).all(),
        orphans: orphans(deployment.metadata.namespace),
      });
      const oldPods = deployment.spec.strategy?.type === "Recreate" ? podsOfOld() : 0;
      let step = deploymentStep(deployment, sets, oldPods, clock.now());
      let { status } = step;
      if (step.create !== undefined) {
        const body = replicaSetOf(deployment, step.create);
        try {
          const made = await client.create(ReplicaSet, body, MANAGED);
          event("ScalingReplicaSet", `Scaled up replica set ${made.metadata.name} from 0 to ${step.create.replicas}`);
          if (deployment.spec.progressDeadlineSeconds !== undefined) {
            const message = `Created new replica set "${made.metadata.name}"`;
            status = withCondition(
              status,
              { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message },
              timestamp(clock.now()),
            );
          }
          // What follows from the new set is written with it.
          step = deploymentStep({ ...deployment, status }, [...sets, made], oldPods, clock.now());
          ({ status } = step);
        } catch (error) {
          if (!(error instanceof AlreadyExists)) throw error;
          // The name is taken by a set with another template: the next hash is another one.
          status = { ...status, collisionCount: (status.collisionCount ?? 0) + 1 };
        }
      }
      let refreshed: ReplicaSet | undefined;
      if (step.refresh !== undefined) {
        const { set, annotations } = step.refresh;
        const spec = { ...set.spec, minReadySeconds: deployment.spec.minReadySeconds };
        refreshed = await client.replace(ReplicaSet, { ...set, metadata: { ...set.metadata, annotations }, spec }, MANAGED);
      }
      for (const { set, to } of step.resize) {
        await carryOut({ set: refreshed?.metadata.uid === set.metadata.uid ? refreshed : set, to });
      }
      for (const {
        metadata: { name, namespace, uid },
      } of step.forget)
        await client.delete(ReplicaSet, { name, namespace }, { uid });
      await record(status, step.revision);
      return step.again === undefined ? undefined : want({ requeueAfter: step.again });

      async function carryOut({ set, to }: Resize) {
        const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
        await client.replace(
          ReplicaSet,
          { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: to } },
          MANAGED,
        );
        const direction = to > sizeOf(set) ? "up" : "down";
        event("ScalingReplicaSet", `Scaled ${direction} replica set ${set.metadata.name} from ${sizeOf(set)} to ${to}`);
      }
      /** Pods of other templates that still run; they are not ours but our sets'. */
      function podsOfOld(): number {
        const old = sets.filter(({ spec }) => !sameTemplate(spec.template, deployment.spec.template));
        const running = ({ status: { phase } }: Pod) => phase !== "Failed" && phase !== "Succeeded";
        return old.reduce((count, set) => count + pods.owned(set.metadata.uid).filter(running).length, 0);
      }
      /** Status and revision go together: the status endpoint of Deployments takes annotations too. */
      async function record(next: Deployment["status"], revision: string | undefined) {
        if (canonical(next) === canonical(deployment.status) && revision === undefined) return;
        const annotations = { ...deployment.metadata.annotations, ...(revision === undefined ? {} : { [REVISION]: revision }) };
        const metadata = { ...deployment.metadata, annotations };
        await client.status.replace(Deployment, { ...deployment, metadata, status: next }, MANAGED);
      }
    },
  });
  return operated(made, plant, views);
}

const hashOf = (deployment: Deployment) => templateHash(deployment.spec.template, deployment.status.collisionCount ?? 0);

function replicaSetOf(
  deployment: Deployment,
  { replicas, annotations }: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> },
): NewObject<ReplicaSetKind> {
  const { template, minReadySeconds, selector } = deployment.spec;
  const hash = hashOf(deployment);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations,
      ownerReferences: [controlledBy(Deployment, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
