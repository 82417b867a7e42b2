import type { ServiceAccount } from "pintle/kinds/core/v1";
import type { Draft } from "../draft.ts";
import { rules } from "../rules.ts";
import { AGED } from "../table/printer.ts";

export const serviceAccount = rules<ServiceAccount>({ prepareCreate: namesOnly, prepareUpdate: namesOnly, table: AGED });

/** Of a reference to a secret only the name is kept. */
function namesOnly(draft: Draft<ServiceAccount>): void {
  draft.secrets = draft.secrets?.map(({ name }) => (name ? { name } : {}));
  if (!draft.secrets?.length) delete draft.secrets;
}
