import { certificates } from "./certificates.ts";
import { questions, requests } from "./decisions.ts";
import { escalation } from "./escalation.ts";
import { impersonation } from "./impersonation.ts";
import { nodes } from "./nodes.ts";
import { reviews } from "./reviews.ts";
import type { ScenarioStep } from "./scenario.ts";
import { tokens } from "./tokens.ts";

/** Each suite runs on a server of its own with the same fixtures. */
export const suites: Readonly<Record<string, readonly ScenarioStep[]>> = {
  questions,
  requests,
  reviews,
  impersonation,
  escalation,
  certificates,
  tokens,
  nodes,
};
