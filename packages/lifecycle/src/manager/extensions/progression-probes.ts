import type { ProgressionProbe } from "../api/types.ts";

type Assertion = ProgressionProbe["assertions"][number];

const conditionIsTrue = (type: string): Assertion => ({ type: "ConditionEqual", conditionEqual: { type, status: "True" } });
const hasValue = (fieldPath: string, value: string): Assertion => ({ type: "FieldValue", fieldValue: { fieldPath, value } });
const AVAILABLE = conditionIsTrue("Available");
const UPDATED: Assertion = { type: "FieldsEqual", fieldsEqual: { fieldA: "status.updatedReplicas", fieldB: "status.replicas" } };

const probe = (group: string, kind: string, ...assertions: readonly Assertion[]): ProgressionProbe => ({
  selector: { type: "GroupKind", groupKind: { group, kind } },
  assertions,
});

/** When the objects of a bundle are ready. */
export const PROGRESSION_PROBES: readonly ProgressionProbe[] = [
  probe("apiextensions.k8s.io", "CustomResourceDefinition", conditionIsTrue("Established")),
  probe("cert-manager.io", "Certificate", conditionIsTrue("Ready")),
  probe("cert-manager.io", "Issuer", conditionIsTrue("Ready")),
  probe("", "Namespace", hasValue("status.phase", "Active")),
  probe("", "PersistentVolumeClaim", hasValue("status.phase", "Bound")),
  probe("apps", "StatefulSet", UPDATED, AVAILABLE),
  probe("apps", "Deployment", UPDATED, AVAILABLE),
];
