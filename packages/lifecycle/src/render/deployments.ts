import type { JsonObject } from "pintle/internal/json";
import type { RegistryBundle } from "../bundle/index.ts";
import { fromUnstructured } from "../go-types/index.ts";
import { namesFor } from "./certificates.ts";
import { applyDeploymentConfig, type Container, type Deployment, type PodSpec } from "./deployment-config.ts";
import { createObject, type RenderContext } from "./render-bundle.ts";

/** Where operators expect their serving certificates: of webhooks, and of aggregated APIs. */
const CERTIFICATE_VOLUMES = [
  { name: "webhook-cert", mountPath: "/tmp/k8s-webhook-server/serving-certs", certificate: "tls.crt", key: "tls.key" },
  { name: "apiservice-cert", mountPath: "/apiserver.local.config/certificates", certificate: "apiserver.crt", key: "apiserver.key" },
] as const;

/** The Deployments of the operator. Their pods have the annotations of the CSV, and those that say what the operator watches. */
export function renderDeployments({ csv }: RegistryBundle, context: RenderContext): JsonObject[] {
  const withWebhooks = new Set((csv.spec?.webhookdefinitions ?? []).map((webhook) => webhook.deploymentName ?? ""));
  const config =
    context.deploymentConfig === undefined
      ? undefined
      : fromUnstructured(context.deploymentConfig, "operators/v1alpha1.SubscriptionConfig");
  return (csv.spec?.install?.spec?.deployments ?? []).map(({ name = "", spec = {}, label }) => {
    const template = (spec["template"] ?? {}) as JsonObject;
    const metadata = (template["metadata"] ?? {}) as JsonObject;
    const annotations = {
      ...csv.metadata?.annotations,
      ...(metadata["annotations"] as JsonObject | undefined),
      "olm.targetNamespaces": context.targetNamespaces.join(","),
      "olm.operatorNamespace": context.namespace,
    };
    let pod = (template["spec"] ?? {}) as PodSpec;
    if (withWebhooks.has(name) && context.certificates !== undefined) pod = mountCertificates(pod, namesFor(name).certificate);
    const deployment: Deployment = {
      metadata: { namespace: context.namespace, name, ...(label === undefined ? {} : { labels: label }) },
      spec: { ...spec, template: { ...template, metadata: { ...metadata, annotations }, spec: pod }, revisionHistoryLimit: 1 },
    };
    const configured = config === undefined ? deployment : applyDeploymentConfig(deployment, config);
    return createObject("apps/v1.Deployment", "Deployment", "apps/v1", configured as unknown as JsonObject);
  });
}

/** Replaces the volumes that the bundle itself has at the places of the certificates. */
function mountCertificates(pod: PodSpec, secretName: string): PodSpec {
  const paths = new Set<unknown>(CERTIFICATE_VOLUMES.map((volume) => volume.mountPath));
  const replaced = new Set<unknown>(CERTIFICATE_VOLUMES.map((volume) => volume.name));
  const containers = pod.containers ?? [];
  for (const { volumeMounts = [] } of containers) {
    for (const mount of volumeMounts) if (paths.has(mount["mountPath"])) replaced.add(mount["name"] ?? "");
  }
  const keep = (entry: JsonObject) => !replaced.has(entry["name"] ?? "");
  const mounts = CERTIFICATE_VOLUMES.map(({ name, mountPath }) => ({ name, mountPath }));
  const replaceMounts = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []).filter(keep), ...mounts],
  });
  return {
    ...pod,
    volumes: [
      ...(pod.volumes ?? []).filter(keep),
      ...CERTIFICATE_VOLUMES.map(({ name, certificate, key }) => ({
        name,
        secret: {
          secretName,
          items: [
            { key: "tls.crt", path: certificate },
            { key: "tls.key", path: key },
          ],
        },
      })),
    ],
    ...(pod.containers === undefined ? {} : { containers: containers.map(replaceMounts) }),
  };
}
