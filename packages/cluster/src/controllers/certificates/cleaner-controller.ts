import { X509Certificate } from "node:crypto";
import { NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";

const HOUR = 3_600_000;
const DECIDED_TTL = HOUR;
const PENDING_TTL = 24 * HOUR;

/** Starts the controller that deletes requests that were decided or forgotten: an hour after the decision, a day without one. */
export function startCertificateCleanerController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const requests = cache.watch(CertificateSigningRequest);
  const work = createWorkQueue({ clock, work: ({ key }) => sync(key) });
  requests.addEventHandler(({ new: current }) => {
    if (current !== undefined) work.add(current.metadata.name);
  });

  const sync = async (name: string): Promise<WorkOutcome | undefined> => {
    const request = requests.get({ name });
    if (request === undefined || request.metadata.deletionTimestamp !== undefined) return undefined;
    const at = getExpiryTime(request);
    if (at > clock.now()) return { type: "requeue", after: at - clock.now() };
    try {
      await client.delete(CertificateSigningRequest, { name }, { uid: request.metadata.uid });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    return undefined;
  };
  return createQueueComponent("certificatesigningrequest-cleaner-controller", work, [requests]);
}

/** Returns when a request is deleted, in milliseconds since 1970. */
export function getExpiryTime({ metadata, status: { conditions = [], certificate } }: CertificateSigningRequest): number {
  if (conditions.length === 0) return Date.parse(metadata.creationTimestamp) + PENDING_TTL;
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    if (lastUpdateTime === undefined) return [];
    const isIssued = type === "Denied" || type === "Failed" || (type === "Approved" && certificate !== undefined);
    return [Date.parse(lastUpdateTime) + (isIssued ? DECIDED_TTL : PENDING_TTL)];
  });
  const isApproved = conditions.some(({ type }) => type === "Approved");
  return Math.min(...times, isApproved && certificate !== undefined ? getCertificateExpiry(certificate) : Number.POSITIVE_INFINITY);
}

/** A certificate that cannot be read, because another signer wrote it, does not expire. */
function getCertificateExpiry(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
