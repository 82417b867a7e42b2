/** Fault rules as a form has them: texts, and one choice of what happens. */
import type { FaultRuleJson } from "../../protocol.ts";

export interface FaultForm {
  readonly effect: string;
  /** The number of the effect: a status or milliseconds. */
  readonly value: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly webhook: string;
  readonly nth: string;
  readonly times: string;
  readonly probability: string;
}

export const EMPTY_FAULT: FaultForm = {
  effect: "status",
  value: "409",
  verb: "patch",
  resource: "",
  namespace: "",
  name: "",
  user: "",
  webhook: "",
  nth: "",
  times: "",
  probability: "",
};

/** What can happen, with the label of its number; undefined: it has none. */
export const EFFECTS: readonly { readonly id: string; readonly text: string; readonly value?: string; readonly start?: string }[] = [
  { id: "status", text: "Request: refuse with a status", value: "Status", start: "409" },
  { id: "latency", text: "Request: delay", value: "Milliseconds", start: "500" },
  { id: "cut-before", text: "Request: break the connection before" },
  { id: "cut-mid", text: "Request: break the connection in the response" },
  { id: "drop-connection", text: "Event: break the watch" },
  { id: "drop-event", text: "Event: lose it" },
  { id: "stall", text: "Event: stall the watch" },
  { id: "delay", text: "Event: delay", value: "Milliseconds", start: "500" },
  { id: "duplicate", text: "Event: deliver it twice" },
  { id: "webhook-status", text: "Webhook: answer with a status", value: "Status", start: "500" },
  { id: "webhook-latency", text: "Webhook: delay", value: "Milliseconds", start: "500" },
  { id: "webhook-cut", text: "Webhook: unreachable" },
];

/** Returns the rule, or what is wrong with the form. */
export function toFaultRule(form: FaultForm): FaultRuleJson | string {
  const effect = toEffect(form);
  if (typeof effect === "string") return effect;
  const isWebhook = form.effect.startsWith("webhook");
  const isEvent = /^(drop|stall|delay|duplicate)/.test(form.effect);
  if (isWebhook && form.webhook === "") return "Name the webhook.";
  const matches = isWebhook
    ? { webhook: form.webhook }
    : { verb: isEvent ? "" : form.verb, resource: form.resource, namespace: form.namespace, name: form.name, user: form.user };
  const on = Object.fromEntries(
    Object.entries(matches)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [name, toPattern(value)]),
  );
  const nth = toCount(form.nth);
  const times = toCount(form.times);
  if (nth === null || times === null) return "The numbers of matches are whole numbers from 1.";
  const probability = form.probability === "" ? undefined : Number(form.probability);
  if (probability !== undefined && !(probability >= 0 && probability <= 1)) return "The probability is between 0 and 1.";
  return {
    ...(Object.keys(on).length === 0 ? {} : { on }),
    do: effect,
    ...(nth === undefined ? {} : { nth }),
    ...(times === undefined ? {} : { times }),
    ...(probability === undefined ? {} : { probability }),
  };
}

/** "patch,update" -> a list. */
function toPattern(text: string): string | readonly string[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.length === 1 ? (parts[0] ?? "") : parts;
}

function toCount(text: string): number | undefined | null {
  if (text === "") return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 ? value : null;
}

function toEffect({ effect, value }: FaultForm): Readonly<Record<string, string | number | boolean>> | string {
  const number = Number(value);
  switch (effect) {
    case "status":
    case "webhook-status":
      return Number.isInteger(number) && number >= 400 && number <= 599 ? { status: number } : "The status is between 400 and 599.";
    case "latency":
    case "webhook-latency":
    case "delay":
      if (value === "" || !(number >= 0)) return "The delay is a number of milliseconds.";
      return effect === "delay" ? { delay: number } : { latency: number };
    case "cut-before":
    case "webhook-cut":
      return { cut: "before" };
    case "cut-mid":
      return { cut: "mid-response" };
    case "drop-connection":
      return { drop: "connection" };
    case "drop-event":
      return { drop: "event" };
    case "stall":
      return { stall: true };
    default:
      return { duplicate: true };
  }
}
