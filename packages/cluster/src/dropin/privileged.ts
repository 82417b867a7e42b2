import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin } from "../api/index.ts";
import { fieldError, invalid } from "../status/index.ts";

type Containers = readonly { readonly securityContext?: { readonly privileged?: boolean | null } | null }[] | null | undefined;

const TEMPLATES: readonly (readonly string[])[] = [
  ["spec"],
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
  ["template", "spec"],
];
const LISTS = ["initContainers", "containers", "ephemeralContainers"];
/** Only these have pods in them. */
const KINDS = new Set([
  "Pod",
  "PodTemplate",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
]);

/** Without --allow-privileged no pod may be privileged, nor a template of one. */
export const noPrivilege: AdmissionPlugin = {
  name: "NoPrivilege",
  validate({ resource: { group, kind }, object, name, subresource }) {
    if (object === undefined || !KINDS.has(kind) || subresource === "status" || subresource === "scale") return undefined;
    const errors = TEMPLATES.flatMap((path) => privileged(object, path));
    if (errors.length === 0) return undefined;
    return Promise.reject(invalid({ group, resource: kind }, name, errors));
  },
};

function privileged(object: JsonObject, path: readonly string[]) {
  const spec = path.reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], object) as JsonObject | undefined;
  return LISTS.flatMap((list) =>
    ((spec?.[list] as unknown as Containers) ?? []).flatMap((container, index) =>
      container.securityContext?.privileged === true
        ? [fieldError.forbidden(`${path.join(".")}.${list}[${index}].securityContext.privileged`, "disallowed by cluster policy")]
        : [],
    ),
  );
}
