import type { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { rules } from "../rules.ts";
import { configMapTable, secretTable } from "../table/core.ts";

export const secret = rules<Secret>({
  prepareUpdate(draft, live) {
    draft.type ||= live.type;
  },
  selectableFields: { type: ({ type }) => type ?? "" },
  table: secretTable,
});

export const configMap = rules<ConfigMap>({ table: configMapTable });
