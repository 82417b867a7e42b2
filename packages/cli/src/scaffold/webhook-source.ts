import { findClosingBracket, findInCode } from "./source-scan.ts";

export interface WebhookTarget {
  readonly kind: string;
  /** Module of the kind: "./catalog.ts" or "pintle/kinds/apps/v1". */
  readonly from: string;
  /** Variable name of the webhook: "catalogWebhook". */
  readonly variable: string;
}
export type WebhookHandler = "default" | "validate";

const HANDLER_BODIES: Readonly<Record<WebhookHandler, string>> = {
  default: `  /** Sets defaults that depend on other fields. Use \`.default()\` in the schema for constant defaults. */
  default(object) {
    object.metadata.annotations ??= {};
  },`,
  validate: `  /** Returns field errors for what neither the schema nor a CEL rule can express. */
  validate({ object, old }) {
    const isRenamed = old !== undefined && old.metadata.name !== object.metadata.name;
    return isRenamed ? [{ field: "metadata.name", message: "is immutable" }] : [];
  },`,
};

export function renderWebhookFile({ kind, from, variable }: WebhookTarget, handlers: readonly WebhookHandler[]): string {
  return `import { webhook } from "pintle";
import { ${kind} } from "${from}";

/** Called by the API server before a ${kind} is stored. */
export const ${variable} = webhook(${kind}, {
${handlers.map((handler) => HANDLER_BODIES[handler]).join("\n")}
});
`;
}

/** Returns the module from which the source imports the kind; undefined if it does not. */
export function findImportedModule(text: string, kind: string): string | undefined {
  const imports = text.split(";").map((statement) => statement.trim().split('} from "'));
  const found = imports.find(([names = ""]) => names.startsWith("import {") && names.split(/[\s,{]/).includes(kind));
  return found?.[1]?.replace(/"$/, "");
}

/** Returns the handlers of the source's webhook for the kind; undefined if there is no webhook. */
export function findWebhookHandlers(text: string, kind: string): readonly WebhookHandler[] | undefined {
  const call = findWebhookCall(text, kind);
  if (call === undefined) return undefined;
  const inside = text.slice(call.from, call.to);
  return (["default", "validate"] as const).filter(
    (handler) => new RegExp(`^ *(?:async )?${handler}\\b *[(:]`, "m").test(inside) || new RegExp(`[{,] *${handler}\\b *[(:]`).test(inside),
  );
}

/** Returns the source with handlers added to its webhook for the kind. */
export function addWebhookHandlers(text: string, kind: string, handlers: readonly WebhookHandler[]): string {
  const { to } = findWebhookCall(text, kind)!;
  const before = text.slice(0, to).trimEnd();
  const comma = /[,{]$/.test(before) ? "" : ",";
  return `${before}${comma}\n${handlers.map((handler) => HANDLER_BODIES[handler]).join("\n")}\n${text.slice(to)}`;
}

/** Returns the range between the braces of `webhook(Kind, {...})`. */
function findWebhookCall(text: string, kind: string): { readonly from: number; readonly to: number } | undefined {
  const start = findInCode(text, `webhook(${kind}, {`)[0];
  const open = start === undefined ? -1 : text.indexOf("{", start);
  const end = start === undefined ? undefined : findClosingBracket(text, open);
  return end === undefined ? undefined : { from: open + 1, to: end - 1 };
}
