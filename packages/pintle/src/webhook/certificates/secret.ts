import type { Held } from "./held.ts";

/** Beside the certificates: when the first authority of the bundle was first told. */
const SINCE = "pintle.dev/trusted-since";

/** What a Secret keeps of it; the names of its keys are those of Kubernetes' own TLS Secrets. */
export function secretOf({ bundle, authorityKey, leaf, since }: Held) {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    annotations: { [SINCE]: new Date(since).toISOString() },
    data: {
      "ca.crt": base64(bundle),
      "ca.key": base64(authorityKey),
      "tls.crt": base64(leaf.certificate),
      "tls.key": base64(leaf.key),
    },
  };
}

/** What a Secret holds; undefined when it is empty, as it is installed, or incomplete. */
export function heldIn(secret: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly data?: Readonly<Record<string, string>> | undefined;
}): Held | undefined {
  const text = (name: string) => Buffer.from(secret.data?.[name] ?? "", "base64").toString("utf8");
  const [bundle, authorityKey, certificate, key] = ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(text) as [string, string, string, string];
  if (bundle === "" || authorityKey === "" || certificate === "" || key === "") return undefined;
  const since = Date.parse(secret.metadata.annotations?.[SINCE] ?? "");
  return { bundle, authorityKey, leaf: { certificate, key }, since: Number.isNaN(since) ? 0 : since };
}
