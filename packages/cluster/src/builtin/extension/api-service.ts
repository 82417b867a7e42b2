import type { APIService } from "pintle/kinds/apiregistration/v1";
import { timestamp } from "../../api/index.ts";
import { dns1035Problems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { apiServiceTable } from "../table/others.ts";
import { portNumberProblems } from "../text/names.ts";
import { dnsSubdomain, invalidFor, maybeOneOf, type Problems, required } from "../validate/problems.ts";

const LOCAL = { type: "Available", status: "True", reason: "Local", message: "Local APIServices are always available" };

export const apiService = rules<APIService>({
  prepareCreate(draft, { now }) {
    draft.status = draft.spec?.service ? {} : { conditions: [{ ...LOCAL, lastTransitionTime: timestamp(now) }] };
  },
  // It must be made of the spec, which is for validation to see.
  name: () => [],
  validate: validateService,
  status: {
    validate: function* ({ status }) {
      for (const [i, condition] of (status?.conditions ?? []).entries()) {
        yield* maybeOneOf(`status.conditions[${i}].status`, condition.status, ["True", "False", "Unknown"]);
      }
    },
  },
  table: apiServiceTable,
});

function* validateService({ metadata, spec }: Loose<APIService>): Problems {
  const { group, version, service, caBundle, insecureSkipTLSVerify } = spec ?? {};
  const name = `${version ?? ""}.${group ?? ""}`;
  if (metadata?.name && metadata.name !== name) {
    yield fieldError.invalid("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: "${name}"`);
  }
  if (!group && version !== "v1") yield fieldError.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  if (group) yield* dnsSubdomain("spec.group", group);
  yield* invalidFor("spec.version", version ?? "", dns1035Problems(version ?? ""));
  yield* priority("spec.groupPriorityMinimum", spec?.groupPriorityMinimum ?? 0, 20_000);
  yield* priority("spec.versionPriority", spec?.versionPriority ?? 0, 1000);
  const insecure = (why: string) => fieldError.invalid("spec.insecureSkipTLSVerify", true, why);
  if (!service) {
    const bytes = Buffer.from(caBundle ?? "", "base64").length;
    if (bytes > 0) yield fieldError.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle");
    if (insecureSkipTLSVerify) yield insecure("local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  yield* required("spec.service.namespace", service.namespace);
  yield* required("spec.service.name", service.name);
  const ports = portNumberProblems(service.port ?? 0);
  if (ports.length > 0) yield fieldError.invalid("spec.service.port", service.port ?? 0, `port is not valid: ${ports.join(", ")}`);
  if (insecureSkipTLSVerify && caBundle) yield insecure("may not be true if caBundle is present");
}

function* priority(field: string, value: number, most: number): Problems {
  if (value <= 0 || value > most) yield fieldError.invalid(field, value, `must be positive and less than ${most}`);
}
