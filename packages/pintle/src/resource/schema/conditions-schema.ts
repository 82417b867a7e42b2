import type { StructuralSchema } from "../custom-resource-definition.ts";

/** The schema of `status.conditions` as metav1.Condition has it: a list map with one entry per type. */
export const CONDITIONS_SCHEMA: StructuralSchema = {
  description: "Conditions reported by the controller, one entry per type.",
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
    properties: {
      lastTransitionTime: { description: "Time of the last change of status.", type: "string", format: "date-time" },
      message: { description: "Human-readable message; may be empty.", type: "string", maxLength: 32768 },
      observedGeneration: {
        description: "The metadata.generation that this condition is based on.",
        type: "integer",
        format: "int64",
        minimum: 0,
      },
      reason: {
        description: "Machine-readable reason in CamelCase.",
        type: "string",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      type: {
        description: "Type of the condition in CamelCase, optionally prefixed with a domain.",
        type: "string",
        maxLength: 316,
        pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      },
    },
  },
};

/** The schema of `status.observedGeneration`. */
export const OBSERVED_GENERATION_SCHEMA: StructuralSchema = {
  description: "The metadata.generation that the controller last reconciled.",
  type: "integer",
  format: "int64",
  minimum: 0,
};
