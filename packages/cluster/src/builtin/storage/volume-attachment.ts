import type { VolumeAttachment } from "pintle/kinds/storage/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { volumeAttachmentTable } from "../table/storage.ts";
import { dnsSubdomain, immutable, type Problems } from "../validate/problems.ts";
import { csiDriverName } from "../validate/volumes.ts";

const ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

export const volumeAttachment = rules<VolumeAttachment>({
  validate: validateAttachment,
  validateUpdate: function* (object, live) {
    yield* validateAttachment(object);
    yield* immutable("spec", object.spec, live.spec);
  },
  table: volumeAttachmentTable,
});

function* validateAttachment({ spec }: Loose<VolumeAttachment>): Problems {
  yield* csiDriverName("spec.attacher", spec?.attacher);
  const { inlineVolumeSpec, persistentVolumeName: volume } = spec?.source ?? {};
  if (inlineVolumeSpec && volume != null) yield fieldError.forbidden("spec.source", ONE);
  else if (!inlineVolumeSpec && volume == null) yield fieldError.required("spec.source", ONE);
  else if (volume === "") yield fieldError.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
  yield* dnsSubdomain("spec.nodeName", spec?.nodeName ?? "");
  if (volume != null) yield* dnsSubdomain("spec.source.persistentVolumeName", volume);
}
