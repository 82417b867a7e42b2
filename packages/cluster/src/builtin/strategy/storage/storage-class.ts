import type { StorageClass } from "pintle/kinds/storage/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { storageClassPrinter } from "../../printers/storage.ts";
import { type FieldErrors, validateEnum, validateImmutableField, validateQualifiedNameField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const storageClassStrategy = defineStrategy<StorageClass>({
  validate: validateStorageClass,
  validateUpdate: function* (object, live) {
    yield* validateStorageClass(object);
    for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
      yield* validateImmutableField(field, object[field], live[field]);
    }
  },
  tablePrinter: storageClassPrinter,
});

function* validateStorageClass({ provisioner, reclaimPolicy, volumeBindingMode }: Unvalidated<StorageClass>): FieldErrors {
  if (!provisioner) yield fieldError.required("provisioner");
  else yield* validateQualifiedNameField("provisioner", provisioner.toLowerCase());
  yield* validateEnum("reclaimPolicy", reclaimPolicy || undefined, ["Delete", "Retain"]);
  yield* validateEnum("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
}
