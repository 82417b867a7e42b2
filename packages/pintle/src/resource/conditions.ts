import type { StructuralSchema } from "./custom-resource-definition.ts";

/** The standard conditions of Kubernetes: one entry per type, merged by type. */
export const CONDITIONS: StructuralSchema = {
  description: "What the controller reports, one entry per type.",
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
    properties: {
      lastTransitionTime: { description: "When the status last changed.", type: "string", format: "date-time" },
      message: { description: "For people; may be empty.", type: "string", maxLength: 32768 },
      observedGeneration: { description: "The metadata.generation this was said about.", type: "integer", format: "int64", minimum: 0 },
      reason: {
        description: "For programs, in CamelCase.",
        type: "string",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      type: {
        description: "CamelCase, or with a domain in front.",
        type: "string",
        maxLength: 316,
        pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      },
    },
  },
};

export const OBSERVED_GENERATION: StructuralSchema = {
  description: "The metadata.generation the controller last acted on.",
  type: "integer",
  format: "int64",
  minimum: 0,
};
