/** Checks of addresses as Go's net/url and net/mail make them, with their texts for the common mistakes. */

/** Why a text is no URL of a request; undefined if it is one. */
export function findUrlProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return `parse ${quoted}: net/url: invalid control character in URL`;
  const [, scheme, rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme === undefined && /^[^/]*:/.test(text) && !text.startsWith("/")) {
    return /^[0-9+.-]/.test(text)
      ? `parse ${quoted}: first path segment in URL cannot contain colon`
      : `parse ${quoted}: invalid URI for request`;
  }
  if (!rest.startsWith("/")) return `parse ${quoted}: invalid URI for request`;
  if (scheme === undefined || !rest.startsWith("//")) return undefined;
  const host = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? "";
  const [, bad] = /([ "<>\\^`{|}])/.exec(host) ?? [];
  return bad === undefined ? undefined : `parse ${quoted}: invalid character ${JSON.stringify(bad)} in host name`;
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\[\\]\\s]*\\])$`, "u");

/** Why a text is no mail address; undefined if it is one. */
export function findAddressProblem(text: string): string | undefined {
  const trimmed = text.trim();
  const [, inAngle] = /^[^<>@]*<([^<>]*)>$/.exec(trimmed) ?? [];
  if (ADDRESS.test(inAngle ?? trimmed)) return undefined;
  if (trimmed === "") return "mail: no address";
  return trimmed.includes("@") ? "mail: expected single address" : "mail: missing '@' or angle-addr";
}
