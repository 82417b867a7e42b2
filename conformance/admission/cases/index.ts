import type { Case } from "../case.ts";
import { annotations } from "./annotations.ts";
import { calls } from "./calls.ts";
import { conditions } from "./conditions.ts";
import { conversions } from "./conversions.ts";
import { mutations } from "./mutations.ts";
import { kubelets } from "./nodes.ts";
import { operations } from "./operations.ts";
import { order } from "./order.ts";
import { patches } from "./patches.ts";
import { placement } from "./placement.ts";
import { plugins } from "./plugins.ts";
import { policies } from "./policies.ts";
import { rules } from "./rules.ts";
import { verdicts } from "./verdicts.ts";

export const caseGroups: Readonly<Record<string, readonly Case[]>> = {
  "what a webhook says": verdicts,
  "webhooks that fail": calls,
  "what a webhook is about": rules,
  "conditions in CEL": conditions,
  "what a webhook changes": patches,
  "order of calls": order,
  "what is being done": operations,
  "policies in CEL": policies,
  "policies that change": mutations,
  "audit annotations": annotations,
  "webhooks that convert": conversions,
  "plugins of the server's own": plugins,
  "where pods may go": placement,
  NodeRestriction: kubelets,
};
