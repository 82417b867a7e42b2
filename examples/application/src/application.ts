import { controller, defineResource, type ObjectOf, z } from "pintle";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod, Service } from "pintle/kinds/core/v1";
import { Ingress } from "pintle/kinds/networking/v1";
import { buildConditions } from "./conditions.ts";

const IMAGE = /^[a-z0-9]([a-z0-9._:/-]*[a-z0-9])?(@sha256:[a-f0-9]{64})?$/;
const HOST = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export const Application = defineResource({
  group: "app.aiops.org",
  version: "v1",
  kind: "Application",
  shortNames: ["app"],
  spec: z.object({
    image: z.string().max(255).regex(IMAGE).describe("Container image, such as nginx:1.27."),
    replicas: z.int32().min(0).max(100).default(1).describe("Number of pods."),
    port: z.int32().min(1).max(65_535).default(8080).describe("Port of the container and of the Service."),
    host: z.string().max(253).regex(HOST).optional().describe("External host name. An Ingress is created only if it is set."),
  }),
  status: z.object({
    replicas: z.int32().describe("Number of pods."),
    ready: z.int32().describe("Number of ready pods."),
    address: z.string().describe("URL of the application."),
  }),
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z][-a-z0-9]{0,62}$')",
      message: "must be a valid Service name: a letter followed by letters, digits and -",
    },
  ],
  conditions: ["Available", "Progressing"],
  columns: [
    { name: "Image", path: ".spec.image" },
    { name: "Replicas", path: ".spec.replicas" },
    { name: "Ready", path: ".status.ready" },
    { name: "Address", path: ".status.address" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
});
export interface Application extends ObjectOf<typeof Application> {}

const LABEL = "app.aiops.org/application";

export const application = controller(Application, {
  owns: [Deployment, Service, Ingress],
  watches: { pods: { kind: Pod, by: { label: LABEL } } },
  reconcile({ object, owned, related, want }) {
    const { port, host } = object.spec;
    const { name, namespace } = object.metadata;
    const deployment = owned(Deployment).get(name);
    const { readyReplicas: ready = 0, replicas = 0 } = deployment?.status ?? {};
    return want({
      children: { deployment: deploymentFor(object), service: serviceFor(object), ingress: host && ingressFor(object, host) },
      status: { replicas, ready, address: host ? `http://${host}` : `http://${name}.${namespace}.svc:${port}` },
      conditions: buildConditions(object, deployment, related.pods),
    });
  },
});

function labelsOf(name: string) {
  return { "app.kubernetes.io/name": name, [LABEL]: name };
}

function deploymentFor({ metadata: { name }, spec: { image, replicas, port } }: Application) {
  // The policy is written down, because the API server's default depends on the first image and stays when the image changes.
  const container = { name: "app", image, imagePullPolicy: "IfNotPresent" as const, ports: [{ name: "http", containerPort: port }] };
  const labels = labelsOf(name);
  return Deployment.desired({
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: { [LABEL]: name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  });
}

function serviceFor({ metadata: { name }, spec: { port } }: Application) {
  return Service.desired({
    metadata: { name, labels: labelsOf(name) },
    spec: { type: "ClusterIP", selector: { [LABEL]: name }, ports: [{ name: "http", port, targetPort: "http" }] },
  });
}

function ingressFor({ metadata: { name } }: Application, host: string) {
  const backend = { service: { name, port: { name: "http" } } };
  return Ingress.desired({
    metadata: { name, labels: labelsOf(name) },
    spec: { ingressClassName: "nginx", rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
  });
}
