import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { timestamp } from "../../api/index.ts";
import { dnsLabelProblems, dnsSubdomainProblems, fieldError, goQuote } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { certificateSigningRequestTable } from "../table/others.ts";
import { maybeOneOf, type Problems, required } from "../validate/problems.ts";

type Conditions = NonNullable<NonNullable<Draft<CertificateSigningRequest>["status"]>["conditions"]>;
const DECISIONS = new Set(["Approved", "Denied"]);

export const certificateSigningRequest = rules<CertificateSigningRequest>({
  prepareCreate(draft, { user }) {
    draft.spec ??= {};
    // Who asks is for the server to say.
    draft.spec.username = user.name;
    draft.spec.uid = user.uid;
    draft.spec.groups = [...user.groups];
    const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, [...values]]);
    draft.spec.extra = extra.length === 0 ? undefined : (Object.fromEntries(extra) as never);
    if (!draft.spec.uid) delete draft.spec.uid;
    if (!draft.spec.extra) delete draft.spec.extra;
    draft.status = {};
  },
  prepareUpdate(draft, live) {
    draft.spec = live.spec as never;
  },
  resetFields: [["spec"], ["status"]],
  validate: validateRequest,
  validateUpdate: validateRequest,
  status: {
    prepare(draft, live, { now }) {
      draft.spec = live.spec as never;
      const decisions = conditionsOf(live).filter(({ type }) => DECISIONS.has(type ?? ""));
      const others = conditionsOf(draft).filter(({ type }) => !DECISIONS.has(type ?? ""));
      setConditions(draft, [...decisions, ...others], live, now);
    },
    resetFields: [["spec"], ["status", "conditions"]],
  },
  parts: {
    approval: {
      prepare(draft, live, { now }) {
        const conditions = conditionsOf(draft);
        draft.spec = live.spec as never;
        draft.status = { ...(live.status as Draft<CertificateSigningRequest>["status"]) };
        setConditions(draft, conditions, live, now);
      },
      resetFields: [["spec"], ["status", "certificate"]],
    },
  },
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  table: certificateSigningRequestTable,
});

const USAGES = `any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|
email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|
ocsp signing|s/mime|server auth|signing|timestamping`
  .replaceAll("\n", "")
  .split("|");
const LEGACY = "kubernetes.io/legacy-unknown";
const PEM = /-----BEGIN CERTIFICATE REQUEST-----\s[\s\S]*-----END CERTIFICATE REQUEST-----/;

/** The signature is not looked at: whoever signs has to. */
function* validateRequest({ spec }: Loose<CertificateSigningRequest>): Problems {
  const { request, signerName, expirationSeconds } = spec ?? {};
  if (!PEM.test(Buffer.from(request ?? "", "base64").toString())) {
    yield fieldError.invalid("spec.request", request ?? null, "PEM block type must be CERTIFICATE REQUEST");
  }
  const usages = spec?.usages ?? [];
  yield* required("spec.usages", usages);
  for (const [i, usage] of usages.entries()) yield* maybeOneOf(`spec.usages[${i}]`, usage, USAGES);
  for (const [i, usage] of usages.entries()) {
    if (usages.indexOf(usage) < i) yield fieldError.duplicate(`spec.usages[${i}]`, usage);
  }
  if (signerName === LEGACY) {
    yield fieldError.invalid("spec.signerName", LEGACY, "the legacy signerName is not allowed via this API version");
  } else yield* signer("spec.signerName", signerName ?? "");
  if (expirationSeconds != null && expirationSeconds < 600) {
    const why = "may not specify a duration less than 600 seconds (10 minutes)";
    yield fieldError.invalid("spec.expirationSeconds", expirationSeconds, why);
  }
}

function* signer(field: string, name: string): Problems {
  if (name === "") return yield fieldError.required(field);
  const [domain = "", path, ...more] = name.split("/");
  if (path === undefined || more.length > 0) {
    return yield fieldError.invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  if (domain.length > 253) yield fieldError.tooLong(field, 253);
  const labels = domain.split(".");
  yield* firstBad(field, domain, labels, dnsLabelProblems);
  if (labels.length < 2) yield fieldError.invalid(field, domain, "should be a domain with at least two segments separated by dots");
  yield* firstBad(field, path, path.split("."), dnsSubdomainProblems);
  if (name.length > 571) yield fieldError.tooLong(field, 571);
}

function* firstBad(field: string, shown: string, labels: readonly string[], problemsOf: (label: string) => readonly string[]): Problems {
  const bad = labels.find((label) => problemsOf(label).length > 0);
  if (bad === undefined) return;
  for (const problem of problemsOf(bad)) yield fieldError.invalid(field, shown, `validating label ${goQuote(bad)}: ${problem}`);
}

function conditionsOf({ status }: Draft<CertificateSigningRequest> | Loose<CertificateSigningRequest>): Conditions {
  return (status?.conditions ?? []) as Conditions;
}

/** A condition remembers when it was last touched, and when its status last changed. */
function setConditions(
  draft: Draft<CertificateSigningRequest>,
  next: Conditions,
  live: Loose<CertificateSigningRequest>,
  now: number,
): void {
  draft.status ??= {};
  const { status } = draft;
  const conditions = next.map((condition) => {
    const before = conditionsOf(live).find(({ type }) => type === condition.type);
    const moved = before?.status === condition.status ? before?.lastTransitionTime : undefined;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? timestamp(now),
      lastTransitionTime: condition.lastTransitionTime ?? moved ?? timestamp(now),
    };
  });
  if (conditions.length > 0) status.conditions = conditions;
  else delete status.conditions;
}
