import type { ServiceAccount } from "pintle/kinds/core/v1";
import type { Draft } from "../../draft.ts";
import { NAME_AND_AGE_PRINTER } from "../../printers/table-printer.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const serviceAccountStrategy = defineStrategy<ServiceAccount>({
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  tablePrinter: NAME_AND_AGE_PRINTER,
});

/** Reduces secret references to their names. */
function keepSecretNames(draft: Draft<ServiceAccount>): void {
  draft.secrets = draft.secrets?.map(({ name }) => (name ? { name } : {}));
  if (!draft.secrets?.length) delete draft.secrets;
}
