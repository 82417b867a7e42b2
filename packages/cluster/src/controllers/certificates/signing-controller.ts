import { Conflict, NotFound } from "pintle/client";
import { CertificateSigningRequest, type CertificateSigningRequestStatus } from "pintle/kinds/certificates/v1";
import { type CertificateKeyPair, issueCertificate } from "pintle/tls";
import { formatTimestamp } from "../../api/index.ts";
import { isCertificateRequestError, parseRequestField } from "../../builtin/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { findSignerProblem, hasCondition, SIGNERS } from "./request-rules.ts";

const MINUTE = 60_000;
const MAX_LIFETIME = 365 * 24 * 60 * MINUTE;
const MIN_LIFETIME = 10 * MINUTE;
/** Certificates are valid from before they are issued, because clocks differ. */
const BACKDATE = 5 * MINUTE;
/** Shorter lifetimes are not shortened by the backdating. */
const SHORT_LIFETIME = 8 * 60 * MINUTE;

/** Starts the controller that signs approved requests for the signers of Kubernetes with the authority of the cluster. */
export function startCertificateSigningController({
  client,
  cache,
  clock,
  createWorkQueue,
  authority,
}: ControllerContext): ControlPlaneComponent {
  const requests = cache.watch(CertificateSigningRequest);
  const work = createWorkQueue({ clock, concurrency: 2, work: ({ key }) => sync(key) });
  requests.addEventHandler(({ new: current }) => {
    if (current !== undefined && isToBeSigned(current)) work.add(current.metadata.name);
  });

  const sync = async (name: string): Promise<undefined> => {
    const request = requests.get({ name });
    if (request === undefined || !isToBeSigned(request)) return undefined;
    const outcome = computeOutcome(request, authority, clock.now());
    try {
      const status = { ...request.status, ...outcome };
      if (outcome !== undefined) await client.status.replace(CertificateSigningRequest, { ...request, status }, FIELD_MANAGER);
    } catch (error) {
      // The watch delivers the newer object.
      if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error;
    }
    return undefined;
  };
  return createQueueComponent("certificatesigningrequest-signing-controller", work, [requests]);
}

const SIGNER_NAMES: ReadonlySet<string> = new Set(Object.values(SIGNERS));

function isToBeSigned(request: CertificateSigningRequest): boolean {
  const isOpen = hasCondition(request, "Approved") && !hasCondition(request, "Denied") && !hasCondition(request, "Failed");
  return isOpen && request.status.certificate === undefined && SIGNER_NAMES.has(request.spec.signerName);
}

/** Returns the certificate or the failure of a request; undefined for one that cannot be parsed. */
function computeOutcome(
  object: CertificateSigningRequest,
  authority: CertificateKeyPair,
  now: number,
): Partial<CertificateSigningRequestStatus> | undefined {
  const { signerName, usages = [], expirationSeconds } = object.spec;
  try {
    const request = parseRequestField(object.spec.request);
    const message = findSignerProblem(signerName, request, usages);
    if (message !== undefined) {
      const condition = {
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message,
        lastUpdateTime: formatTimestamp(now),
      };
      return { conditions: [...(object.status.conditions ?? []), condition] };
    }
    const lifetime = computeLifetime(expirationSeconds);
    const notAfter = now + lifetime - (lifetime < SHORT_LIFETIME ? 0 : BACKDATE);
    const certificate = issueCertificate(request, authority, { usages, notBefore: now - BACKDATE, notAfter });
    return { certificate: Buffer.from(certificate).toString("base64") };
  } catch (error) {
    if (isCertificateRequestError(error)) return undefined;
    throw error;
  }
}

function computeLifetime(expirationSeconds: number | undefined): number {
  if (expirationSeconds === undefined) return MAX_LIFETIME;
  return Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, expirationSeconds * 1000));
}
