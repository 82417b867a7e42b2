import type { StorageClass } from "pintle/kinds/storage/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { storageClassTable } from "../table/storage.ts";
import { immutable, maybeOneOf, type Problems, qualifiedName } from "../validate/problems.ts";

export const storageClass = rules<StorageClass>({
  validate: validateClass,
  validateUpdate: function* (object, live) {
    yield* validateClass(object);
    for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
      yield* immutable(field, object[field], live[field]);
    }
  },
  table: storageClassTable,
});

function* validateClass({ provisioner, reclaimPolicy, volumeBindingMode }: Loose<StorageClass>): Problems {
  if (!provisioner) yield fieldError.required("provisioner");
  else yield* qualifiedName("provisioner", provisioner.toLowerCase());
  yield* maybeOneOf("reclaimPolicy", reclaimPolicy || undefined, ["Delete", "Retain"]);
  yield* maybeOneOf("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
}
