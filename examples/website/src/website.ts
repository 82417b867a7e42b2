import { controller, defineResource, defineUntypedKind, type ObjectOf, optionalKind, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { Job } from "pintle/kinds/batch/v1";
import { Service } from "pintle/kinds/core/v1";
import { autoscalerFor, deploymentFor, migrationFor, migrationName, routeFor, serviceFor } from "./children.ts";

/** Defined by the Gateway API. Clusters without it can have Websites without a host. */
export const HTTPRoute = defineUntypedKind({
  group: "gateway.networking.k8s.io",
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  scope: "Namespaced",
});

export const Website = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  spec: z.object({
    image: z.string().min(1).max(255).describe("Container image."),
    port: z.int32().min(1).max(65_535).default(8080).describe("Port of the container."),
    minReplicas: z.int32().min(1).max(100).default(1).describe("Minimum number of pods."),
    maxReplicas: z.int32().min(1).max(100).default(3).describe("Maximum number of pods."),
    host: z.string().min(1).max(253).optional().describe("Host name. An HTTPRoute is created only if it is set."),
    gateway: z.string().min(1).max(253).default("public").describe("Name of the Gateway."),
    migration: z.array(z.string()).min(1).max(50).optional().describe("Command that runs with a new image before it is rolled out."),
  }),
  status: z.object({ image: z.string().describe("Image that is rolled out."), ready: z.int32().describe("Number of ready pods.") }),
  rules: [
    { rule: "self.spec.minReplicas <= self.spec.maxReplicas", message: "minReplicas must not exceed maxReplicas" },
    { rule: "self.metadata.name.size() <= 40", message: "must be at most 40 characters, because it prefixes the names of Jobs" },
  ],
  conditions: ["Available", "Migrated"],
  columns: [
    { name: "Image", path: ".status.image" },
    { name: "Ready", path: ".status.ready" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface Website extends ObjectOf<typeof Website> {}

export const website = controller(Website, {
  owns: [Deployment, Service, HorizontalPodAutoscaler, Job, optionalKind(HTTPRoute)],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const deployment = owned(Deployment).get(name);
    const ready = deployment?.status.readyReplicas ?? 0;
    const migration = migrationFor(object);
    const isAvailable = ready >= object.spec.minReplicas;
    return want({
      children: {
        migration,
        deployment: deploymentFor(object, migration),
        service: serviceFor(object),
        autoscaler: autoscalerFor(object),
        route: object.spec.host && routeFor(object, object.spec.host),
      },
      status: { image: deployment?.spec.template.spec?.containers[0]?.image ?? "", ready },
      conditions: {
        Available: { status: isAvailable, reason: isAvailable ? "PodsReady" : "PodsNotReady", message: `${ready} pods are ready` },
        Migrated: migratedCondition(migration && owned(Job).get(migrationName(object))),
      },
    });
  },
});

/** A migration that failed is not repeated: a new image or command makes a new Job. */
function migratedCondition(job: Job | undefined) {
  const ended = job?.status.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
  if (ended?.type === "Failed") return { status: false, reason: "MigrationFailed", message: `Job ${job?.metadata.name}: ${ended.message}` };
  if (job !== undefined && ended === undefined) return { status: false, reason: "MigrationRunning", message: `Job ${job.metadata.name}` };
  return { status: true, reason: "UpToDate" };
}
