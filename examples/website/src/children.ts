import { createHash } from "node:crypto";
import type { Child } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { Job } from "pintle/kinds/batch/v1";
import { Service } from "pintle/kinds/core/v1";
import { HTTPRoute, type Website } from "./website.ts";

export const LABEL = "web.example.com/website";

/** Another image or command makes another name, and so another Job. */
export function migrationName({ metadata: { name }, spec: { image, migration } }: Website): string {
  return `${name}-migrate-${createHash("sha256")
    .update(JSON.stringify([image, migration]))
    .digest("hex")
    .slice(0, 10)}`;
}

export function migrationFor(website: Website) {
  const { image, migration: command } = website.spec;
  if (command === undefined) return undefined;
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "migrate", image, command }] } };
  return Job.desired({ metadata: { name: migrationName(website) }, spec: { backoffLimit: 0, template } }, { create: "once" });
}

/** The number of replicas is left out: it belongs to the autoscaler. */
export function deploymentFor({ metadata: { name }, spec: { image, port } }: Website, migration: Child | undefined) {
  const labels = { [LABEL]: name };
  const container = {
    name: "web",
    image,
    ports: [{ name: "http", containerPort: port }],
    readinessProbe: { httpGet: { path: "/", port: "http" } },
    resources: { requests: { cpu: "100m" } },
  };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } };
  return Deployment.desired({ metadata: { name, labels }, spec }, { after: migration === undefined ? [] : [migration] });
}

export function serviceFor({ metadata: { name } }: Website) {
  return Service.desired({
    metadata: { name },
    spec: { selector: { [LABEL]: name }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
  });
}

export function autoscalerFor({ metadata: { name }, spec: { minReplicas, maxReplicas } }: Website) {
  const cpu = { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } };
  return HorizontalPodAutoscaler.desired({
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas,
      metrics: [{ type: "Resource", resource: cpu }],
    },
  });
}

export function routeFor({ metadata: { name }, spec: { gateway } }: Website, host: string) {
  const rules = [{ backendRefs: [{ name, port: 80 }] }];
  return HTTPRoute.desired({ metadata: { name }, spec: { parentRefs: [{ name: gateway }], hostnames: [host], rules } });
}
