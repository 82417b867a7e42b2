import { closing, places } from "./source-text.ts";

export interface WebhookApi {
  readonly kind: string;
  /** Where the kind is imported from: "./shelf.ts" or "pintle/kinds/apps/v1". */
  readonly from: string;
  /** "shelfWebhook" */
  readonly variable: string;
}
export type Say = "default" | "validate";

const BODIES: Readonly<Record<Say, string>> = {
  default: `  /** Fills in what the client left out. What never depends on other fields is a \`.default()\` in the schema. */
  default(object) {
    object.metadata.annotations ??= {};
  },`,
  validate: `  /** Says what is wrong, by field. What a schema or a rule can say needs no webhook. */
  validate({ object, old }) {
    const renamed = old !== undefined && old.metadata.name !== object.metadata.name;
    return renamed ? [{ field: "metadata.name", message: "stays as it is" }] : [];
  },`,
};

export function webhookFile({ kind, from, variable }: WebhookApi, says: readonly Say[]): string {
  return `import { webhook } from "pintle";
import { ${kind} } from "${from}";

/** Asked before a ${kind} is stored. */
export const ${variable} = webhook(${kind}, {
${says.map((say) => BODIES[say]).join("\n")}
});
`;
}

/** What the text's webhook of the kind says already; undefined where there is none. */
export function saysOf(text: string, kind: string): readonly Say[] | undefined {
  const call = callOf(text, kind);
  if (call === undefined) return undefined;
  const inside = text.slice(call.from, call.to);
  return (["default", "validate"] as const).filter(
    (say) => new RegExp(`^ *(?:async )?${say}\\b *[(:]`, "m").test(inside) || new RegExp(`[{,] *${say}\\b *[(:]`).test(inside),
  );
}

/** The text with more in the webhook that is there. */
export function withSays(text: string, kind: string, says: readonly Say[]): string {
  const { to } = callOf(text, kind)!;
  const before = text.slice(0, to).replace(/\s*$/, "");
  const comma = /[,{]$/.test(before) ? "" : ",";
  return `${before}${comma}\n${says.map((say) => BODIES[say]).join("\n")}\n${text.slice(to)}`;
}

/** Between the braces of `webhook(Kind, {...})`. */
function callOf(text: string, kind: string): { readonly from: number; readonly to: number } | undefined {
  const start = places(text, `webhook(${kind}, {`)[0];
  const open = start === undefined ? -1 : text.indexOf("{", start);
  const end = start === undefined ? undefined : closing(text, open);
  return end === undefined ? undefined : { from: open + 1, to: end - 1 };
}
