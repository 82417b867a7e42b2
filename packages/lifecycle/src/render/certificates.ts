import type { JsonObject } from "pintle/internal/json";
import type { RegistryBundle } from "../bundle/index.ts";
import { joinName } from "./names.ts";
import type { RenderContext } from "./render-bundle.ts";

/** The names of what belongs to the webhooks of one Deployment. */
export interface WebhookNames {
  readonly service: string;
  /** The Secret with the certificate, and the Certificate of cert-manager. */
  readonly certificate: string;
}

export function namesFor(deployment: string): WebhookNames {
  const service = joinName(deployment.replaceAll(".", "-"), "service");
  return { service, certificate: joinName(service, "cert") };
}

/** Annotates an object so that the provider of certificates writes the CA bundle into it. */
export function injectCaBundle(object: JsonObject, names: WebhookNames, { certificates, namespace }: RenderContext): JsonObject {
  if (certificates === "cert-manager") return annotate(object, { "cert-manager.io/inject-ca-from": `${namespace}/${names.certificate}` });
  return certificates === "service-ca" ? annotate(object, { "service.beta.openshift.io/inject-cabundle": "true" }) : object;
}

/** Annotates a Service so that the service CA issues a certificate for it. */
export function requestServingCertificate(service: JsonObject, names: WebhookNames, { certificates }: RenderContext): JsonObject {
  if (certificates !== "service-ca") return service;
  return annotate(service, { "service.beta.openshift.io/serving-cert-secret-name": names.certificate });
}

/** Issuer and Certificate of cert-manager for each Deployment with webhooks: two years, renewed a day before. */
export function createCertificateObjects({ csv }: RegistryBundle, { certificates, namespace }: RenderContext): JsonObject[] {
  if (certificates !== "cert-manager") return [];
  const deployments = new Set((csv.spec?.webhookdefinitions ?? []).map((webhook) => webhook.deploymentName ?? ""));
  return [...deployments].flatMap((deployment) => {
    const { service, certificate } = namesFor(deployment);
    const issuer = joinName(certificate, "selfsigned-issuer");
    const host = `${service}.${namespace}`;
    return [
      {
        apiVersion: "cert-manager.io/v1",
        kind: "Issuer",
        metadata: { name: issuer, namespace },
        spec: { selfSigned: {} },
        status: {},
      },
      {
        apiVersion: "cert-manager.io/v1",
        kind: "Certificate",
        metadata: { name: certificate, namespace },
        spec: {
          commonName: host,
          dnsNames: [host, `${host}.svc`, `${host}.svc.cluster.local`],
          duration: "17520h0m0s",
          issuerRef: { name: issuer },
          renewBefore: "24h0m0s",
          secretName: certificate,
          usages: ["server auth"],
        },
        status: {},
      },
    ];
  });
}

function annotate(object: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  const metadata = (object["metadata"] ?? {}) as JsonObject;
  return { ...object, metadata: { ...metadata, annotations: { ...(metadata["annotations"] as JsonObject | undefined), ...annotations } } };
}
