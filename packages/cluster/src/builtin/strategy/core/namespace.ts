import type { Namespace } from "pintle/kinds/core/v1";
import { validateLabelName, withMetadata } from "../../../api/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { namespacePrinter } from "../../printers/core.ts";
import { type FieldErrors, validateQualifiedNameField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const KUBERNETES_FINALIZER = "kubernetes";

export const namespaceStrategy = defineStrategy<Namespace>({
  validateName: validateLabelName,
  prepareForCreate(draft) {
    draft.status = { phase: "Active" };
    draft.spec ??= {};
    const finalizers = draft.spec.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES_FINALIZER)) draft.spec.finalizers = [...finalizers, KUBERNETES_FINALIZER];
    setNameLabel(draft);
  },
  prepareForUpdate(draft, live) {
    draft.spec ??= {};
    // spec.finalizers can only be changed through the finalize subresource.
    if (live.spec?.finalizers) draft.spec.finalizers = [...live.spec.finalizers];
    else delete draft.spec.finalizers;
    setNameLabel(draft);
  },
  validate: validateFinalizers,
  status: {
    validate: function* ({ metadata, status }) {
      const expectedPhase = metadata?.deletionTimestamp ? "Terminating" : "Active";
      if (status?.phase === expectedPhase) return;
      const when = metadata?.deletionTimestamp ? "not empty" : "empty";
      yield fieldError.invalid("status.Phase", status?.phase ?? "", `may only be '${expectedPhase}' if \`deletionTimestamp\` is ${when}`);
    },
  },
  subresources: {
    finalize: {
      prepareForUpdate(draft, live) {
        draft.status = live.status as never;
      },
      validate: validateFinalizers,
    },
  },
  deletion: {
    prepareForDelete: (object) => ({
      ...withMetadata(object, { deletionGracePeriodSeconds: undefined }),
      status: { ...(object["status"] as object), phase: "Terminating" },
    }),
    isDeletionBlocked: (object) => ((object["spec"] as { finalizers?: readonly string[] } | undefined)?.finalizers?.length ?? 0) > 0,
  },
  selectableFields: { "status.phase": ({ status }) => status?.phase ?? "" },
  tablePrinter: namespacePrinter,
});

function* validateFinalizers({ spec }: Unvalidated<Namespace>): FieldErrors {
  for (const name of spec?.finalizers ?? []) {
    yield* validateQualifiedNameField("spec.finalizers", name);
    if (name.includes("/") || name === KUBERNETES_FINALIZER) continue;
    yield fieldError.invalid("spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

/** Sets the name label, also after the name was generated. */
function setNameLabel({ metadata }: Draft<Namespace>): void {
  if (metadata?.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}
