import type { PrinterColumn, StructuralSchema } from "./custom-resource-definition.ts";
import type { Column } from "./definition.ts";
import { schemaAt } from "./field-path.ts";
import { InvalidResource } from "./invalid-resource.ts";

/** What columns may show of `metadata`, whose schema a definition leaves to the server. */
const METADATA: StructuralSchema = {
  type: "object",
  properties: {
    annotations: { type: "object", additionalProperties: { type: "string" } },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: { type: "string", format: "date-time" },
    finalizers: { type: "array", items: { type: "string" } },
    generateName: { type: "string" },
    generation: { type: "integer" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    name: { type: "string" },
    namespace: { type: "string" },
    ownerReferences: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
    resourceVersion: { type: "string" },
    uid: { type: "string" },
  },
};

/** The columns of `kubectl get`, each with the type its field has. */
export function printerColumns(columns: readonly Column[], root: StructuralSchema): readonly PrinterColumn[] {
  const whole = { ...root, properties: { ...root.properties, metadata: METADATA } };
  return columns.map(({ name, path, type, format, description, priority }, i) => {
    const said = `columns[${i}]`;
    if (name === "") throw new InvalidResource(`${said}.name`, "a column without a name", "give it one");
    if (priority !== undefined && !(Number.isInteger(priority) && priority >= 0 && priority < 2 ** 31)) {
      throw new InvalidResource(`${said}.priority`, `${priority} is not a priority`, "write 0, or 1 for -o wide");
    }
    const field = schemaAt(whole, path, `${said}.path`);
    return {
      name,
      jsonPath: path,
      type: type ?? columnType(field),
      ...(format !== undefined ? { format } : {}),
      ...(description !== undefined ? { description } : {}),
      ...(priority !== undefined ? { priority } : {}),
    };
  });
}

function columnType(field: StructuralSchema | undefined): PrinterColumn["type"] {
  if (field?.format === "date-time") return "date";
  const type = field?.type;
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}
