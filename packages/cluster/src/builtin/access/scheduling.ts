import type { Lease } from "pintle/kinds/coordination/v1";
import type { RuntimeClass } from "pintle/kinds/node/v1";
import type { PriorityClass } from "pintle/kinds/scheduling/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { leaseTable, priorityClassTable, runtimeClassTable } from "../table/others.ts";
import { labels } from "../validate/labels.ts";
import { dnsLabel, immutable, inner, maybeOneOf, nonnegative, type Problems, positive } from "../validate/problems.ts";
import { containerResources } from "../validate/resources.ts";
import { tolerations } from "../validate/scheduling.ts";

const HIGHEST = 1_000_000_000;
const SYSTEM: Readonly<Record<string, number>> = { "system-cluster-critical": 2 * HIGHEST, "system-node-critical": 2 * HIGHEST + 1000 };

export const priorityClass = rules<PriorityClass>({
  generation: () => false,
  validate: function* ({ metadata, value, preemptionPolicy }) {
    const name = metadata?.name ?? "";
    if (name.startsWith("system-") && SYSTEM[name] !== value) {
      const why =
        SYSTEM[name] === undefined
          ? `${name} is not a known system priority class`
          : `value of ${name} PriorityClass must be ${SYSTEM[name]}`;
      const text = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
      yield fieldError.forbidden("metadata.name", text);
    } else if (!name.startsWith("system-") && (value ?? 0) > HIGHEST) {
      yield fieldError.forbidden("value", `maximum allowed value of a user defined priority is ${HIGHEST}`);
    }
    if (preemptionPolicy === "") yield fieldError.required("preemptionPolicy");
    else yield* maybeOneOf("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  },
  validateUpdate: function* (object, live) {
    if (object.value !== live.value) yield fieldError.forbidden("value", "may not be changed in an update.");
    yield* immutable("preemptionPolicy", object.preemptionPolicy, live.preemptionPolicy);
  },
  table: priorityClassTable,
});

export const lease = rules<Lease>({
  validate: function* ({ spec }) {
    yield* positive("spec.leaseDurationSeconds", spec?.leaseDurationSeconds);
    yield* nonnegative("spec.leaseTransitions", spec?.leaseTransitions);
    if (spec?.preferredHolder && !spec.strategy) {
      yield fieldError.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
    }
  },
  table: leaseTable,
});

export const runtimeClass = rules<RuntimeClass>({
  validate: validateRuntimeClass,
  validateUpdate: function* (object, live) {
    yield* validateRuntimeClass(object);
    yield* immutable("handler", object.handler, live.handler);
  },
  table: runtimeClassTable,
});

function* validateRuntimeClass({ handler, overhead, scheduling }: Loose<RuntimeClass>): Problems {
  if (handler) yield* dnsLabel("handler", handler);
  else yield fieldError.required("handler");
  if (overhead) yield* containerResources("overhead", { limits: overhead.podFixed }, new Set());
  yield* labels("scheduling.nodeSelector", scheduling?.nodeSelector);
  yield* tolerations("scheduling.tolerations", scheduling?.tolerations);
  const seen = new Set<string>();
  for (const [i, { key, operator, value, effect, tolerationSeconds }] of (scheduling?.tolerations ?? []).entries()) {
    const fields = { Key: key ?? "", Operator: operator ?? "", Value: value ?? "", Effect: effect ?? "" };
    const listed = JSON.stringify(fields);
    const shown = inner({ ...fields, TolerationSeconds: tolerationSeconds ?? null });
    if (seen.has(listed)) yield fieldError.duplicate(`scheduling.tolerations[${i}]`, shown);
    seen.add(listed);
  }
}
