import type { StatefulSet, StatefulSetSpec } from "pintle/kinds/apps/v1";
import { labelName } from "../../api/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { statefulSetTable } from "../table/workloads.ts";
import { claimSpec } from "../validate/claim.ts";
import { annotations, labels } from "../validate/labels.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { dnsLabel, inner, maybeOneOf, nonnegative, type Problems, same } from "../validate/problems.ts";
import { selectedTemplate, statusCounts } from "../validate/workload.ts";

export const statefulSet = rules<StatefulSet>({
  name: labelName,
  prepareCreate: completed,
  prepareUpdate: completed,
  validate: ({ spec }) => validateSpec(spec ?? {}, true),
  validateUpdate: function* ({ spec }, live) {
    yield* validateSpec(spec ?? {}, false);
    const names = new Set([...Object.keys(spec ?? {}), ...Object.keys(live.spec ?? {})]) as Set<keyof Loose<StatefulSetSpec>>;
    if ([...names].every((name) => MUTABLE.has(name) || same(spec?.[name], live.spec?.[name]))) return;
    yield fieldError.forbidden("spec", FIXED);
  },
  status: {
    validate: function* ({ status }) {
      const counted = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
      yield* statusCounts(status, ["replicas", ...counted, "observedGeneration", "collisionCount"], counted);
      if ((status?.availableReplicas ?? 0) > (status?.readyReplicas ?? 0)) {
        yield fieldError.invalid("status.availableReplicas", status?.availableReplicas, "cannot be greater than status.readyReplicas");
      }
    },
  },
  warnings: (object, live) => [
    ...(same(object.spec?.template, live?.spec?.template) ? [] : templateWarnings("spec.template", object.spec?.template)),
    ...((object.spec?.revisionHistoryLimit ?? 0) < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ],
  table: statefulSetTable,
});

const MUTABLE = new Set(
  "replicas ordinals template updateStrategy revisionHistoryLimit persistentVolumeClaimRetentionPolicy minReadySeconds".split(" "),
);
const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Claim templates are whole objects, and say so. Updates of several pods at a time are not yet a feature of the server. */
function completed({ spec }: Draft<StatefulSet>): void {
  delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  for (const template of spec?.volumeClaimTemplates ?? []) {
    template.apiVersion = "v1";
    template.kind = "PersistentVolumeClaim";
  }
}

function* validateSpec(spec: Loose<StatefulSetSpec>, isNew: boolean): Problems {
  if (!spec.podManagementPolicy) yield fieldError.required("spec.podManagementPolicy");
  else if (spec.podManagementPolicy !== "OrderedReady" && spec.podManagementPolicy !== "Parallel") {
    yield fieldError.invalid("spec.podManagementPolicy", spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  }
  yield* updateStrategy("spec.updateStrategy", spec);
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[when];
    yield* maybeOneOf(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, ["Retain", "Delete"]);
  }
  if (isNew) {
    for (const [i, template] of (spec.volumeClaimTemplates ?? []).entries()) {
      yield* claimSpec(`spec.volumeClaimTemplates[${i}].spec`, template.spec);
    }
  }
  yield* nonnegative("spec.replicas", spec.replicas);
  yield* nonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* nonnegative("spec.ordinals.start", spec.ordinals?.start);
  if (isNew && spec.serviceName) yield* dnsLabel("spec.serviceName", spec.serviceName);
  yield* selectedTemplate({ ...spec, template: mountable(spec) }, "statefulset", "StatefulSet", "");
  yield* labels("spec.template.labels", spec.template?.metadata?.labels);
  yield* annotations("spec.template.annotations", spec.template?.metadata?.annotations);
}

/** The template as its pods will be: with a volume for every claim template, and with names of their own. */
function mountable({ template, volumeClaimTemplates }: Loose<StatefulSetSpec>): Loose<StatefulSetSpec>["template"] {
  const claims = new Map((volumeClaimTemplates ?? []).map(({ metadata }) => [metadata?.name ?? "", metadata?.name ?? ""]));
  const { subdomain: _, hostname: __, volumes, ...spec } = template?.spec ?? {};
  const added = [...claims.keys()].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = (volumes ?? []).filter(({ name }) => !claims.has(name ?? ""));
  return { ...template, spec: { ...spec, volumes: [...added, ...own] } };
}

function* updateStrategy(field: string, { updateStrategy: of }: Loose<StatefulSetSpec>): Problems {
  const rolling = of?.rollingUpdate;
  if (!of?.type) return yield fieldError.required(field);
  if (of.type === "OnDelete") {
    if (rolling) yield fieldError.invalid(`${field}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'");
    return;
  }
  if (of.type !== "RollingUpdate") {
    const shown = { Type: of.type, RollingUpdate: rolling ? { Partition: rolling.partition ?? 0, MaxUnavailable: null } : null };
    return yield fieldError.invalid(field, inner(shown), "must be 'RollingUpdate' or 'OnDelete'");
  }
  if (!rolling) return;
  yield* nonnegative(`${field}.rollingUpdate.partition`, rolling.partition);
}
