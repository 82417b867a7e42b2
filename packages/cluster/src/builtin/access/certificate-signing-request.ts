import type { CertificateSigningRequest } from "pintle/kinds/certificates/v1";
import { timestamp } from "../../api/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { certificateSigningRequestTable } from "../table/others.ts";

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
