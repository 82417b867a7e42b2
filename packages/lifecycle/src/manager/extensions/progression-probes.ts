import type { ProbeAssertion, ProgressionProbe } from "../api/types.ts";

const conditionIsTrue = (type: string): ProbeAssertion => ({ type: "ConditionEqual", conditionEqual: { type, status: "True" } });
const hasValue = (fieldPath: string, value: string): ProbeAssertion => ({ type: "FieldValue", fieldValue: { fieldPath, value } });
const AVAILABLE = conditionIsTrue("Available");
const UPDATED: ProbeAssertion = { type: "FieldsEqual", fieldsEqual: { fieldA: "status.updatedReplicas", fieldB: "status.replicas" } };

const probe = (group: string, kind: string, ...assertions: readonly ProbeAssertion[]): ProgressionProbe => ({
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
