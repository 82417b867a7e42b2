import type { JsonObject } from "pintle/kinds";
import type { AdmissionPlugin } from "../../api/index.ts";
import { fieldError, invalid } from "../../status/index.ts";

type UnvalidatedContainers = readonly { readonly securityContext?: { readonly privileged?: boolean | null } | null }[] | null | undefined;

const POD_SPEC_PATHS: readonly (readonly string[])[] = [
  ["spec"],
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
  ["template", "spec"],
];
const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"];
/** The kinds that contain a pod spec. */
const POD_KINDS = new Set([
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

/** Rejects privileged pods and pod templates, if --allow-privileged is not set. */
export const denyPrivilegedPods: AdmissionPlugin = {
  name: "NoPrivilege",
  validate({ resource: { group, kind }, object, name, subresource }) {
    if (object === undefined || !POD_KINDS.has(kind) || subresource === "status" || subresource === "scale") return undefined;
    const errors = POD_SPEC_PATHS.flatMap((path) => findPrivilegedContainers(object, path));
    if (errors.length === 0) return undefined;
    return Promise.reject(invalid({ group, resource: kind }, name, errors));
  },
};

function findPrivilegedContainers(object: JsonObject, path: readonly string[]) {
  const spec = path.reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], object) as JsonObject | undefined;
  return CONTAINER_LISTS.flatMap((list) =>
    ((spec?.[list] as unknown as UnvalidatedContainers) ?? []).flatMap((container, index) =>
      container.securityContext?.privileged === true
        ? [fieldError.forbidden(`${path.join(".")}.${list}[${index}].securityContext.privileged`, "disallowed by cluster policy")]
        : [],
    ),
  );
}
