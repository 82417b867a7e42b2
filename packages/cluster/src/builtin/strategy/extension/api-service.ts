import type { APIService } from "pintle/kinds/apiregistration/v1";
import { formatTimestamp } from "../../../api/index.ts";
import { fieldError, validateDns1035Label } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { apiServicePrinter } from "../../printers/others.ts";
import { validatePortNumber } from "../../validation/names.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  validateDnsSubdomainField,
  validateEnum,
  validateRequired,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const LOCAL_CONDITION = { type: "Available", status: "True", reason: "Local", message: "Local APIServices are always available" };

export const apiServiceStrategy = defineStrategy<APIService>({
  prepareForCreate(draft, { now }) {
    draft.status = draft.spec?.service ? {} : { conditions: [{ ...LOCAL_CONDITION, lastTransitionTime: formatTimestamp(now) }] };
  },
  // The name is derived from the spec, which `validate` checks.
  validateName: () => [],
  validate: validateApiService,
  status: {
    validate: function* ({ status }) {
      for (const [i, condition] of (status?.conditions ?? []).entries()) {
        yield* validateEnum(`status.conditions[${i}].status`, condition.status, ["True", "False", "Unknown"]);
      }
    },
  },
  tablePrinter: apiServicePrinter,
});

function* validateApiService({ metadata, spec }: Unvalidated<APIService>): FieldErrors {
  const { group, version, service, caBundle, insecureSkipTLSVerify } = spec ?? {};
  const name = `${version ?? ""}.${group ?? ""}`;
  if (metadata?.name && metadata.name !== name) {
    yield fieldError.invalid("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: "${name}"`);
  }
  if (!group && version !== "v1") yield fieldError.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  if (group) yield* validateDnsSubdomainField("spec.group", group);
  yield* createInvalidErrors("spec.version", version ?? "", validateDns1035Label(version ?? ""));
  yield* validatePriority("spec.groupPriorityMinimum", spec?.groupPriorityMinimum ?? 0, 20_000);
  yield* validatePriority("spec.versionPriority", spec?.versionPriority ?? 0, 1000);
  const insecure = (why: string) => fieldError.invalid("spec.insecureSkipTLSVerify", true, why);
  if (!service) {
    const bytes = Buffer.from(caBundle ?? "", "base64").length;
    if (bytes > 0) yield fieldError.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle");
    if (insecureSkipTLSVerify) yield insecure("local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  yield* validateRequired("spec.service.namespace", service.namespace);
  yield* validateRequired("spec.service.name", service.name);
  const ports = validatePortNumber(service.port ?? 0);
  if (ports.length > 0) yield fieldError.invalid("spec.service.port", service.port ?? 0, `port is not valid: ${ports.join(", ")}`);
  if (insecureSkipTLSVerify && caBundle) yield insecure("may not be true if caBundle is present");
}

function* validatePriority(field: string, value: number, most: number): FieldErrors {
  if (value <= 0 || value > most) yield fieldError.invalid(field, value, `must be positive and less than ${most}`);
}
