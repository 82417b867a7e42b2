import { AlreadyExists, allow, type NewObject } from "pintle/client";
import { controller } from "pintle/internal/controller";
import { canonicalJson } from "pintle/internal/merge";
import { Deployment, ReplicaSet, type ReplicaSetKind } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import type { ControllerContext, ControlPlaneComponent } from "../component.ts";
import { startControllerComponent } from "../controller-component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { buildControllerRef } from "../shared/owner-reference.ts";
import { createChildClaims } from "../workload/child-claims.ts";
import { computeTemplateHash } from "../workload/template-hash.ts";
import { planDeployment } from "./plan.ts";
import { isSameTemplate, TEMPLATE_HASH_LABEL } from "./pod-template.ts";
import { buildReplicasAnnotations, REVISION_ANNOTATION } from "./revision.ts";
import type { ReplicaSetScaling } from "./rolling-update.ts";
import { getReplicas } from "./rollout-limits.ts";
import { setCondition } from "./status.ts";

/** Starts the controller that rolls the template of a Deployment out over ReplicaSets, and back. */
export function startDeploymentController(context: ControllerContext): ControlPlaneComponent {
  const { clock, cache } = context;
  const claims = createChildClaims(cache, { owner: Deployment, child: ReplicaSet });
  const pods = cache.watch(Pod);
  const deployments = controller(Deployment, {
    name: "deployment-controller",
    owns: [ReplicaSet],
    watches: {
      orphans: claims.watch,
    },
    needs: [allow(ReplicaSet, "create", "update", "patch", "delete"), allow(Deployment, "status/update")],
    async reconcile({ object: deployment, owned, client, event, want }) {
      const sets = await claims.claim(client, deployment, owned(ReplicaSet).list());
      const oldPods = deployment.spec.strategy?.type === "Recreate" ? countOldPods() : 0;
      let plan = planDeployment(deployment, sets, oldPods, clock.now());
      let { status } = plan;
      if (plan.create !== undefined) {
        const body = buildReplicaSet(deployment, plan.create);
        try {
          const created = await client.create(ReplicaSet, body, FIELD_MANAGER);
          if (plan.create.replicas > 0) {
            event("ScalingReplicaSet", `Scaled up replica set ${created.metadata.name} from 0 to ${plan.create.replicas}`);
          }
          if (deployment.spec.progressDeadlineSeconds !== undefined) {
            const message = `Created new replica set "${created.metadata.name}"`;
            status = setCondition(
              status,
              { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message },
              formatTimestamp(clock.now()),
            );
          }
          // Plan again with the new ReplicaSet, so that its status is written in the same pass.
          plan = planDeployment({ ...deployment, status }, [...sets, created], oldPods, clock.now());
          ({ status } = plan);
        } catch (error) {
          if (!(error instanceof AlreadyExists)) throw error;
          // A ReplicaSet with another template has this name; the next collision count gives another hash.
          status = { ...status, collisionCount: (status.collisionCount ?? 0) + 1 };
        }
      }
      let updated: ReplicaSet | undefined;
      if (plan.update !== undefined) {
        const { set, annotations } = plan.update;
        const spec = { ...set.spec, minReadySeconds: deployment.spec.minReadySeconds };
        updated = await client.replace(ReplicaSet, { ...set, metadata: { ...set.metadata, annotations }, spec }, FIELD_MANAGER);
      }
      for (const { set, replicas } of plan.scale) {
        await scaleReplicaSet({ set: updated?.metadata.uid === set.metadata.uid ? updated : set, replicas });
      }
      for (const {
        metadata: { name, namespace, uid },
      } of plan.cleanup)
        await client.delete(ReplicaSet, { name, namespace }, { uid });
      await updateStatus(status, plan.revision);
      return plan.requeueAfter === undefined ? undefined : want({ requeueAfter: plan.requeueAfter });

      async function scaleReplicaSet({ set, replicas }: ReplicaSetScaling) {
        const annotations = { ...set.metadata.annotations, ...buildReplicasAnnotations(deployment) };
        await client.replace(
          ReplicaSet,
          { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } },
          FIELD_MANAGER,
        );
        const direction = replicas > getReplicas(set) ? "up" : "down";
        event("ScalingReplicaSet", `Scaled ${direction} replica set ${set.metadata.name} from ${getReplicas(set)} to ${replicas}`);
      }
      /** Counts the running pods of the old ReplicaSets. The ReplicaSets own them, not the Deployment. */
      function countOldPods(): number {
        const old = sets.filter(({ spec }) => !isSameTemplate(spec.template, deployment.spec.template));
        const isActive = ({ status: { phase } }: Pod) => phase !== "Failed" && phase !== "Succeeded";
        return old.reduce((count, set) => count + pods.byOwner(set.metadata.uid).filter(isActive).length, 0);
      }
      /** Writes status and revision in one request: the status endpoint of Deployments accepts annotations too. */
      async function updateStatus(next: Deployment["status"], revision: string | undefined) {
        if (canonicalJson(next) === canonicalJson(deployment.status) && revision === undefined) return;
        const annotations = { ...deployment.metadata.annotations, ...(revision === undefined ? {} : { [REVISION_ANNOTATION]: revision }) };
        const metadata = { ...deployment.metadata, annotations };
        await client.status.replace(Deployment, { ...deployment, metadata, status: next }, FIELD_MANAGER);
      }
    },
  });
  return startControllerComponent(deployments, context, [...claims.views, pods]);
}

const getTemplateHash = (deployment: Deployment) => computeTemplateHash(deployment.spec.template, deployment.status.collisionCount ?? 0);

function buildReplicaSet(
  deployment: Deployment,
  { replicas, annotations }: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> },
): NewObject<ReplicaSetKind> {
  const { template, minReadySeconds, selector } = deployment.spec;
  const hash = getTemplateHash(deployment);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations,
      ownerReferences: [buildControllerRef(Deployment, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
