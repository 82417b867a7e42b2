import { certificates } from "./certificates.ts";
import { questions, requests } from "./decisions.ts";
import { escalation } from "./escalation.ts";
import { impersonation } from "./impersonation.ts";
import { reviews } from "./reviews.ts";
import type { Step } from "./script.ts";
import { tokens } from "./tokens.ts";

/** Each is played on a server of its own, in the same world. */
export const suites: Readonly<Record<string, readonly Step[]>> = {
  questions,
  requests,
  reviews,
  impersonation,
  escalation,
  certificates,
  tokens,
};
