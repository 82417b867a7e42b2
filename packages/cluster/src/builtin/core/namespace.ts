import type { Namespace } from "pintle/kinds/core/v1";
import { labelName, withMetadata } from "../../api/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { namespaceTable } from "../table/core.ts";
import { type Problems, qualifiedName } from "../validate/problems.ts";

const KUBERNETES = "kubernetes";

export const namespace = rules<Namespace>({
  name: labelName,
  prepareCreate(draft) {
    draft.status = { phase: "Active" };
    draft.spec ??= {};
    const finalizers = draft.spec.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES)) draft.spec.finalizers = [...finalizers, KUBERNETES];
    named(draft);
  },
  prepareUpdate(draft, live) {
    draft.spec ??= {};
    // Finalizers of the spec are only touched through /finalize.
    if (live.spec?.finalizers) draft.spec.finalizers = [...live.spec.finalizers];
    else delete draft.spec.finalizers;
    named(draft);
  },
  validate: validateFinalizers,
  status: {
    validate: function* ({ metadata, status }) {
      const wanted = metadata?.deletionTimestamp ? "Terminating" : "Active";
      if (status?.phase === wanted) return;
      const when = metadata?.deletionTimestamp ? "not empty" : "empty";
      yield fieldError.invalid("status.Phase", status?.phase ?? "", `may only be '${wanted}' if \`deletionTimestamp\` is ${when}`);
    },
  },
  parts: {
    finalize: {
      prepare(draft, live) {
        draft.status = live.status as never;
      },
      validate: validateFinalizers,
    },
  },
  deletion: {
    mark: (object) => ({
      ...withMetadata(object, { deletionGracePeriodSeconds: undefined }),
      status: { ...(object["status"] as object), phase: "Terminating" },
    }),
    held: (object) => ((object["spec"] as { finalizers?: readonly string[] } | undefined)?.finalizers?.length ?? 0) > 0,
  },
  selectableFields: { "status.phase": ({ status }) => status?.phase ?? "" },
  table: namespaceTable,
});

function* validateFinalizers({ spec }: Loose<Namespace>): Problems {
  for (const name of spec?.finalizers ?? []) {
    yield* qualifiedName("spec.finalizers", name);
    if (name.includes("/") || name === KUBERNETES) continue;
    yield fieldError.invalid("spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

/** Every namespace can be selected by its name, also one whose name was generated. */
function named({ metadata }: Draft<Namespace>): void {
  if (metadata?.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}
