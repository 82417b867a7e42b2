import { X509Certificate } from "node:crypto";
import { AlreadyExists, type Client, NotFound } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Secret } from "pintle/kinds/core/v1";
import { type CertificateAuthority, createCertificateAuthority } from "pintle/tls";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import { POLICY_FIELD_MANAGER, POLICY_GROUP } from "../api/names.ts";
import type { ClusterExtension } from "../api/types.ts";

type CertificateContext = Pick<ManagerContext, "client" | "clock" | "systemNamespace">;

const CERT_MANAGER = "cert-manager.io";
const CERT_MANAGER_INJECTION = `${CERT_MANAGER}/inject-ca-from`;
/** The annotation of an object into which the CA of webhooks is injected; it names the Secret of their certificate. */
const INJECTION = `${POLICY_GROUP}/inject-ca-from`;
/** The annotation of a Secret with the names of its certificate. */
const NAMES = `${POLICY_GROUP}/certificate-names`;
const DAY_MS = 86_400_000;
const LIFETIME_MS = 365 * DAY_MS;
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** The interval at which a new revision is checked for its objects. */
const INJECT_RETRY_MS = 500;

/** The objects of a bundle without those of cert-manager, and the certificates that are issued instead. */
export interface OwnCertificates {
  readonly objects: readonly JsonObject[];
  readonly certificates: readonly { readonly namespace: string; readonly name: string; readonly dnsNames: readonly string[] }[];
}

/** Removes the Certificates and Issuers of cert-manager, and annotates the objects that get the CA. Secrets keep their names: Deployments mount them. */
export function replaceCertManager(objects: readonly JsonObject[]): OwnCertificates {
  const isOfCertManager = ({ apiVersion }: JsonObject) => String(apiVersion).startsWith(`${CERT_MANAGER}/`);
  const certificates = objects
    .filter((object) => isOfCertManager(object) && object["kind"] === "Certificate")
    .map(({ metadata, spec }) => {
      const { secretName, dnsNames } = spec as unknown as { readonly secretName: string; readonly dnsNames: readonly string[] };
      return { namespace: (metadata as unknown as { readonly namespace: string }).namespace, name: secretName, dnsNames };
    });
  return { objects: objects.filter((object) => !isOfCertManager(object)).map(renameInjection), certificates };
}

function renameInjection(object: JsonObject): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const { [CERT_MANAGER_INJECTION]: from, ...annotations } = (metadata["annotations"] ?? {}) as JsonObject;
  return from === undefined ? object : { ...object, metadata: { ...metadata, annotations: { ...annotations, [INJECTION]: from } } };
}

/**
 * Issues the certificates of webhooks, renews them, and injects the CA into the objects that refer to them. Returns the milliseconds until the next check. The
 * CA of an extension is a Secret in the namespace of the manager.
 */
export async function ensureCertificates(
  context: CertificateContext,
  extension: ClusterExtension,
  { objects, certificates }: OwnCertificates,
): Promise<number | undefined> {
  if (certificates.length === 0) return undefined;
  try {
    const authority = await loadAuthority(context, extension);
    const expiries = await Promise.all(certificates.map((certificate) => ensureCertificate(context, extension, authority, certificate)));
    const isInjected = await injectAuthority(context.client, objects, authority.certificate);
    return isInjected
      ? Math.max(INJECT_RETRY_MS, Math.min(DAY_MS, ...expiries.map((at) => at - RENEW_BEFORE_MS - context.clock.now())))
      : INJECT_RETRY_MS;
  } catch (error) {
    throw failure(`certificates of webhooks: ${describeError(error)}`, error);
  }
}

function ownerOf({ metadata }: ClusterExtension) {
  const { name, uid } = metadata;
  return [{ apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name, uid, blockOwnerDeletion: false }];
}

async function loadAuthority(
  { client, clock, systemNamespace }: CertificateContext,
  extension: ClusterExtension,
): Promise<CertificateAuthority> {
  const ref = { name: `${extension.metadata.name}-webhook-authority`, namespace: systemNamespace };
  const commonName = `${extension.metadata.name} webhooks`;
  const restore = ({ data = {} }: Secret) => {
    const decode = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
    return createCertificateAuthority(commonName, clock.now(), { certificate: decode("tls.crt"), key: decode("tls.key") });
  };
  const existing = await client.find(Secret, ref);
  if (existing !== undefined) return restore(existing);
  const created = createCertificateAuthority(commonName, clock.now());
  const body = {
    metadata: { ...ref, ownerReferences: ownerOf(extension) },
    type: "kubernetes.io/tls",
    data: encode({ "tls.crt": created.certificate, "tls.key": created.key }),
  };
  try {
    await client.create(Secret, body, { fieldManager: POLICY_FIELD_MANAGER });
    return created;
  } catch (error) {
    if (!(error instanceof AlreadyExists)) throw error;
    return restore(await client.get(Secret, ref));
  }
}

/** Returns when the certificate expires. */
async function ensureCertificate(
  { client, clock }: CertificateContext,
  extension: ClusterExtension,
  authority: CertificateAuthority,
  { namespace, name, dnsNames }: OwnCertificates["certificates"][number],
): Promise<number> {
  const existing = await client.find(Secret, { name, namespace });
  const names = dnsNames.join(",");
  const expiry = existing === undefined ? undefined : readExpiry(existing, authority);
  const isUsable = existing?.metadata.annotations?.[NAMES] === names && expiry !== undefined && expiry - RENEW_BEFORE_MS > clock.now();
  if (isUsable) return expiry;
  const issued = authority.issueServerCertificate({ commonName: dnsNames[0] ?? name }, dnsNames, LIFETIME_MS);
  await client.apply(
    Secret,
    {
      metadata: { name, namespace, annotations: { [NAMES]: names }, ownerReferences: ownerOf(extension) },
      type: "kubernetes.io/tls",
      data: encode({ "tls.crt": issued.certificate, "tls.key": issued.key, "ca.crt": authority.certificate }),
    },
    { force: true, fieldManager: POLICY_FIELD_MANAGER },
  );
  return clock.now() + LIFETIME_MS;
}

/** When the certificate of a Secret expires; undefined if the authority has not issued it. */
function readExpiry({ data = {} }: Secret, authority: CertificateAuthority): number | undefined {
  try {
    const certificate = new X509Certificate(Buffer.from(data["tls.crt"] ?? "", "base64"));
    return certificate.verify(new X509Certificate(authority.certificate).publicKey) ? Date.parse(certificate.validTo) : undefined;
  } catch {
    return undefined;
  }
}

/** Injects the CA where it is missing. Returns whether all objects exist and have it. */
async function injectAuthority(client: Client, objects: readonly JsonObject[], authority: string): Promise<boolean> {
  const caBundle = Buffer.from(authority).toString("base64");
  let isComplete = true;
  for (const object of objects) {
    const { name, annotations } = object["metadata"] as unknown as {
      readonly name: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    if (annotations?.[INJECTION] === undefined) continue;
    const isDone =
      object["kind"] === "CustomResourceDefinition"
        ? await injectIntoDefinition(client, name, caBundle)
        : await injectIntoWebhooks(client, object, name, caBundle);
    isComplete &&= isDone;
  }
  return isComplete;
}

async function injectIntoWebhooks(client: Client, { kind: kindName }: JsonObject, name: string, caBundle: string): Promise<boolean> {
  const kind = kindName === "ValidatingWebhookConfiguration" ? ValidatingWebhookConfiguration : MutatingWebhookConfiguration;
  const live = await client.find(kind as typeof ValidatingWebhookConfiguration, { name });
  if (live === undefined) return false;
  const { resourceVersion } = live.metadata;
  const changed = (live.webhooks ?? []).flatMap(({ clientConfig }, i) => (clientConfig.caBundle === caBundle ? [] : [i]));
  return patch(client, kind, name, [
    ...changed.map((i) => ({ op: "add" as const, path: `/webhooks/${i}/clientConfig/caBundle`, value: caBundle })),
    ...(changed.length === 0 ? [] : [{ op: "replace" as const, path: "/metadata/resourceVersion", value: resourceVersion }]),
  ]);
}

async function injectIntoDefinition(client: Client, name: string, caBundle: string): Promise<boolean> {
  const live = await client.find(CustomResourceDefinition, { name });
  if (live === undefined) return false;
  const current = live.spec.conversion?.webhook?.clientConfig;
  if (current === undefined || current.caBundle === caBundle) return true;
  const { resourceVersion } = live.metadata;
  return patch(client, CustomResourceDefinition, name, [
    { op: "add", path: "/spec/conversion/webhook/clientConfig/caBundle", value: caBundle },
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
  ]);
}

async function patch(
  client: Client,
  kind: unknown,
  name: string,
  json: readonly { op: "add" | "replace"; path: string; value: string }[],
): Promise<boolean> {
  if (json.length === 0) return true;
  try {
    await client.patch(kind as typeof CustomResourceDefinition, { name }, { json }, { fieldManager: POLICY_FIELD_MANAGER });
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}

function encode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}
