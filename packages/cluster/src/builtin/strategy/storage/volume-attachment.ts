import type { VolumeAttachment } from "pintle/kinds/storage/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { volumeAttachmentPrinter } from "../../printers/storage.ts";
import { type FieldErrors, validateDnsSubdomainField, validateImmutableField } from "../../validation/validators.ts";
import { validateCsiDriverName } from "../../validation/volumes.ts";
import { defineStrategy } from "../kind-strategy.ts";

const EXACTLY_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

export const volumeAttachmentStrategy = defineStrategy<VolumeAttachment>({
  validate: validateVolumeAttachment,
  validateUpdate: function* (object, live) {
    yield* validateVolumeAttachment(object);
    yield* validateImmutableField("spec", object.spec, live.spec);
  },
  tablePrinter: volumeAttachmentPrinter,
});

function* validateVolumeAttachment({ spec }: Unvalidated<VolumeAttachment>): FieldErrors {
  yield* validateCsiDriverName("spec.attacher", spec?.attacher);
  const { inlineVolumeSpec, persistentVolumeName: volume } = spec?.source ?? {};
  if (inlineVolumeSpec && volume != null) yield fieldError.forbidden("spec.source", EXACTLY_ONE_SOURCE);
  else if (!inlineVolumeSpec && volume == null) yield fieldError.required("spec.source", EXACTLY_ONE_SOURCE);
  else if (volume === "") yield fieldError.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
  yield* validateDnsSubdomainField("spec.nodeName", spec?.nodeName ?? "");
  if (volume != null) yield* validateDnsSubdomainField("spec.source.persistentVolumeName", volume);
}
