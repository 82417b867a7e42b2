import { quoteGoString } from "pintle/internal/go-format";

/** A URL as Go's net/url parses it. */
export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: string | undefined;
  /** Host with port, unescaped. */
  readonly host: string;
  /** Path in escaped form. */
  readonly path: string;
  readonly query: string;
}

/** Thrown if a URL does not parse, with the error text of net/url. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

/** Creates an error that is caught close by: a stack trace would take longer than the parsing. */
function createUrlError(message: string): UrlError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new UrlError(message);
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

/** Parses a URL as url.ParseRequestURI does: absolute, or an absolute path. */
export function parseRequestUri(raw: string): GoUrl {
  try {
    return parseGoUrl(raw, true);
  } catch (error) {
    throw error instanceof UrlError ? createUrlError(`parse ${quoteGoString(raw)}: ${error.message}`) : error;
  }
}

/** Parses a URL as url.Parse does. */
export function parseUrl(raw: string): GoUrl {
  const hash = raw.indexOf("#");
  try {
    return parseGoUrl(hash < 0 ? raw : raw.slice(0, hash), false);
  } catch (error) {
    throw error instanceof UrlError ? createUrlError(`parse ${quoteGoString(raw)}: ${error.message}`) : error;
  }
}

function parseGoUrl(raw: string, viaRequest: boolean): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters
  if (/[\u0000-\u001f\u007f]/.test(raw)) throw createUrlError("net/url: invalid control character in URL");
  if (raw === "" && viaRequest) throw createUrlError("empty url");
  const none = { scheme: "", opaque: "", user: undefined, host: "", path: "", query: "" };
  if (raw === "*") return { ...none, path: "*" };
  const [scheme, afterScheme] = splitScheme(raw);
  const mark = afterScheme.indexOf("?");
  const query = mark < 0 ? "" : afterScheme.slice(mark + 1);
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const base = { ...none, scheme: scheme.toLowerCase(), query };

  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...base, opaque: rest };
    if (viaRequest) throw createUrlError("invalid URI for request");
    if (rest.split("/")[0]!.includes(":")) throw createUrlError("first path segment in URL cannot contain colon");
  }
  let authority: Pick<GoUrl, "user" | "host"> = { user: undefined, host: "" };
  if ((scheme !== "" || (!viaRequest && !rest.startsWith("///"))) && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    authority = parseAuthority(slash < 0 ? rest.slice(2) : rest.slice(2, slash));
    rest = slash < 0 ? "" : rest.slice(slash);
  }
  checkEscapes(rest);
  return { ...base, ...authority, path: rest };
}

function splitScheme(raw: string): [string, string] {
  if (raw.startsWith(":")) throw createUrlError("missing protocol scheme");
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(raw);
  return match === null ? ["", raw] : [match[1]!, raw.slice(match[0].length)];
}

function parseAuthority(text: string): Pick<GoUrl, "user" | "host"> {
  const at = text.lastIndexOf("@");
  const host = parseHost(text.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = text.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw createUrlError("net/url: invalid userinfo");
  checkEscapes(user);
  return { user, host };
}

function parseHost(host: string): string {
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0) throw createUrlError("missing ']' in host");
    checkPort(host.slice(end + 1));
  } else {
    const colon = host.lastIndexOf(":");
    if (colon >= 0) checkPort(host.slice(colon));
  }
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host);
  if (bad !== null) throw createUrlError(`invalid character ${quoteGoString(bad[0])} in host name`);
  checkEscapes(host);
  const escaped = /%[0-7][0-9A-Fa-f]/.exec(host);
  if (escaped !== null && escaped[0] !== "%25") throw createUrlError(`invalid URL escape ${quoteGoString(escaped[0])}`);
  return host.includes("%") ? decodeURIComponent(host) : host;
}

function checkPort(text: string): void {
  if (text !== "" && !/^:\d*$/.test(text)) throw createUrlError(`invalid port ${quoteGoString(text)} after host`);
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/su.exec(text);
  if (bad !== null) throw createUrlError(`invalid URL escape ${quoteGoString(bad[0])}`);
}
