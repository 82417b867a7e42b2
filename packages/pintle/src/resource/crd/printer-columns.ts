import type { CrdPrinterColumn, StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import type { PrinterColumn } from "../resource-definition.ts";
import { schemaAtPath } from "./json-path.ts";

/** The schema of `metadata` for columns; a CustomResourceDefinition does not contain it. */
const METADATA_SCHEMA: StructuralSchema = {
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

/** Returns the columns of `kubectl get`. A column without a type gets the type of its field. */
export function buildPrinterColumns(columns: readonly PrinterColumn[], root: StructuralSchema): readonly CrdPrinterColumn[] {
  const schemaWithMetadata = { ...root, properties: { ...root.properties, metadata: METADATA_SCHEMA } };
  return columns.map(({ name, path, type, format, description, priority }, i) => {
    const option = `columns[${i}]`;
    if (name === "") throw new InvalidResource(`${option}.name`, "a column without a name", "give it a name");
    if (priority !== undefined && !(Number.isInteger(priority) && priority >= 0 && priority < 2 ** 31)) {
      throw new InvalidResource(`${option}.priority`, `${priority} is not a priority`, "use 0, or 1 for -o wide");
    }
    const field = schemaAtPath(schemaWithMetadata, path, `${option}.path`);
    return {
      name,
      jsonPath: path,
      type: type ?? printerColumnType(field),
      ...(format !== undefined ? { format } : {}),
      ...(description !== undefined ? { description } : {}),
      ...(priority !== undefined ? { priority } : {}),
    };
  });
}

function printerColumnType(field: StructuralSchema | undefined): CrdPrinterColumn["type"] {
  if (field?.format === "date-time") return "date";
  const type = field?.type;
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}
