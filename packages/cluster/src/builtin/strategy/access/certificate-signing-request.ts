import { quoteGoString } from "pintle/internal/go-format";
import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { formatTimestamp } from "../../../api/index.ts";
import { fieldError, validateDnsLabel, validateDnsSubdomain } from "../../../status/index.ts";
import { isCertificateRequestError, parseRequestField } from "../../certificate-request.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { certificateSigningRequestPrinter } from "../../printers/others.ts";
import { type FieldErrors, validateEnum, validateRequired } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

type RequestConditions = NonNullable<NonNullable<Draft<CertificateSigningRequest>["status"]>["conditions"]>;
const DECISIONS = new Set(["Approved", "Denied"]);

export const certificateSigningRequestStrategy = defineStrategy<CertificateSigningRequest>({
  prepareForCreate(draft, { user }) {
    draft.spec ??= {};
    // The API server sets the requesting user.
    draft.spec.username = user.name;
    draft.spec.uid = user.uid;
    draft.spec.groups = [...user.groups];
    const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, [...values]]);
    draft.spec.extra = extra.length === 0 ? undefined : (Object.fromEntries(extra) as never);
    if (!draft.spec.uid) delete draft.spec.uid;
    if (!draft.spec.extra) delete draft.spec.extra;
    draft.status = {};
  },
  prepareForUpdate(draft, live) {
    draft.spec = live.spec as never;
  },
  resetFields: [["spec"], ["status"]],
  validate: validateCertificateSigningRequest,
  validateUpdate: validateCertificateSigningRequest,
  status: {
    prepareForUpdate(draft, live, { now }) {
      draft.spec = live.spec as never;
      const decisions = getConditions(live).filter(({ type }) => DECISIONS.has(type ?? ""));
      const others = getConditions(draft).filter(({ type }) => !DECISIONS.has(type ?? ""));
      setConditions(draft, [...decisions, ...others], live, now);
    },
    resetFields: [["spec"], ["status", "conditions"]],
  },
  subresources: {
    approval: {
      prepareForUpdate(draft, live, { now }) {
        const conditions = getConditions(draft);
        draft.spec = live.spec as never;
        draft.status = { ...(live.status as Draft<CertificateSigningRequest>["status"]) };
        setConditions(draft, conditions, live, now);
      },
      resetFields: [["spec"], ["status", "certificate"]],
    },
  },
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  tablePrinter: certificateSigningRequestPrinter,
});

const USAGES = `any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|
email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|
ocsp signing|s/mime|server auth|signing|timestamping`
  .replaceAll("\n", "")
  .split("|");
const LEGACY_SIGNER_NAME = "kubernetes.io/legacy-unknown";

/** Validates a certificate signing request, including the signature of the request. */
function* validateCertificateSigningRequest({ spec }: Unvalidated<CertificateSigningRequest>): FieldErrors {
  const { request, signerName, expirationSeconds } = spec ?? {};
  const problem = findRequestProblem(request ?? "");
  if (problem !== undefined) yield fieldError.invalid("spec.request", request ?? null, problem);
  const usages = spec?.usages ?? [];
  yield* validateRequired("spec.usages", usages);
  for (const [i, usage] of usages.entries()) yield* validateEnum(`spec.usages[${i}]`, usage, USAGES);
  for (const [i, usage] of usages.entries()) {
    if (usages.indexOf(usage) < i) yield fieldError.duplicate(`spec.usages[${i}]`, usage);
  }
  if (signerName === LEGACY_SIGNER_NAME) {
    yield fieldError.invalid("spec.signerName", LEGACY_SIGNER_NAME, "the legacy signerName is not allowed via this API version");
  } else yield* validateSignerName("spec.signerName", signerName ?? "");
  if (expirationSeconds != null && expirationSeconds < 600) {
    const why = "may not specify a duration less than 600 seconds (10 minutes)";
    yield fieldError.invalid("spec.expirationSeconds", expirationSeconds, why);
  }
}

function findRequestProblem(request: string): string | undefined {
  try {
    parseRequestField(request);
    return undefined;
  } catch (error) {
    if (isCertificateRequestError(error)) return error.message;
    throw error;
  }
}

function* validateSignerName(field: string, name: string): FieldErrors {
  if (name === "") return yield fieldError.required(field);
  const [domain = "", path, ...more] = name.split("/");
  if (path === undefined || more.length > 0) {
    return yield fieldError.invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  if (domain.length > 253) yield fieldError.tooLong(field, 253);
  const labels = domain.split(".");
  yield* validateFirstInvalidLabel(field, domain, labels, validateDnsLabel);
  if (labels.length < 2) yield fieldError.invalid(field, domain, "should be a domain with at least two segments separated by dots");
  yield* validateFirstInvalidLabel(field, path, path.split("."), validateDnsSubdomain);
  if (name.length > 571) yield fieldError.tooLong(field, 571);
}

function* validateFirstInvalidLabel(
  field: string,
  value: string,
  labels: readonly string[],
  findProblems: (label: string) => readonly string[],
): FieldErrors {
  const invalidLabel = labels.find((label) => findProblems(label).length > 0);
  if (invalidLabel === undefined) return;
  for (const problem of findProblems(invalidLabel))
    yield fieldError.invalid(field, value, `validating label ${quoteGoString(invalidLabel)}: ${problem}`);
}

function getConditions({ status }: Draft<CertificateSigningRequest> | Unvalidated<CertificateSigningRequest>): RequestConditions {
  return (status?.conditions ?? []) as RequestConditions;
}

/** Sets the conditions with lastUpdateTime and lastTransitionTime. */
function setConditions(
  draft: Draft<CertificateSigningRequest>,
  next: RequestConditions,
  live: Unvalidated<CertificateSigningRequest>,
  now: number,
): void {
  draft.status ??= {};
  const { status } = draft;
  const conditions = next.map((condition) => {
    const before = getConditions(live).find(({ type }) => type === condition.type);
    const moved = before?.status === condition.status ? before?.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? formatTimestamp(now),
      lastTransitionTime: condition.lastTransitionTime ?? moved ?? formatTimestamp(now),
    };
  });
  if (conditions.length > 0) status.conditions = conditions;
  else delete status.conditions;
}
