import { PintleError } from "pintle/internal/errors";
import { createAuthorizer, type FindLogin } from "./authorize.ts";
import { getRegistryHost, type ImageReference } from "./reference.ts";
import { fetchFromRegistry } from "./registry-fetch.ts";

export interface RegistryRequest {
  readonly method: string;
  /** A path of the registry, or the URL of an upload. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | StreamedBody | undefined;
}

/** A body that is read again for every attempt. */
export interface StreamedBody {
  readonly size: number;
  chunks(): AsyncIterable<Uint8Array>;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends requests to one registry. Credentials go to the registry's origin (scheme, host and port) and to no other, as in containerd: an
 * upload or a redirect to another host is followed without them, one from https to http is refused, and only a challenge of the registry itself
 * is answered.
 */
export function createRegistryHttp(
  image: ImageReference,
  { insecure, signal, findLogin }: { readonly insecure: boolean; readonly signal: AbortSignal; readonly findLogin: FindLogin },
): (request: RegistryRequest) => Promise<Response> {
  const origin = new URL(`${insecure ? "http" : "https"}://${getRegistryHost(image)}`);
  const authorize = createAuthorizer(image, origin, signal, findLogin);
  let authorization: string | undefined;

  const fetchOnce = (url: URL, { method, headers, body }: RegistryRequest) =>
    fetchFromRegistry(url, {
      method,
      signal,
      redirect: "manual",
      headers: { ...headers, ...(authorization === undefined || url.origin !== origin.origin ? {} : { authorization }) },
      ...toFetchBody(body),
    }).catch((error: Error & { cause?: Error }) => {
      signal.throwIfAborted();
      if (error instanceof PintleError) throw error;
      throw new PintleError(
        "PINTLE7076",
        `cannot reach ${url.origin === origin.origin ? `registry ${image.registry}` : `${url.host}, to which registry ${image.registry} refers`}: ${(error.cause?.message ?? error.message).replace(/\s+/g, " ").trim()}${adviseOn(error, url, insecure)}`,
      );
    });

  /** Follows redirects. A body is sent again only where the registry asks for that. */
  const send = async (request: RegistryRequest): Promise<Response> => {
    let url = resolveLocation(request.url, origin, image);
    for (let redirects = 0; ; redirects++) {
      const response = await fetchOnce(url, request);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) return response;
      const isRepeatable = request.method === "GET" || request.method === "HEAD" || response.status >= 307;
      if (redirects === MAX_REDIRECTS || !isRepeatable)
        throw new PintleError("PINTLE7077", `registry ${image.registry}: ${request.method} was redirected ${redirects + 1} times`);
      await response.body?.cancel();
      url = resolveLocation(location, url, image);
    }
  };

  return async (request) => {
    const response = await send(request);
    const isOwn = response.url === "" || new URL(response.url).origin === origin.origin;
    if (response.status !== 401 || !isOwn) return response;
    await response.body?.cancel();
    authorization = await authorize(response.headers.get("www-authenticate") ?? "");
    return send(request);
  };
}

/** Streams are sent in chunks, and without waiting for the response. */
function toFetchBody(body: Uint8Array | StreamedBody | undefined): RequestInit {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { body: body as Uint8Array<ArrayBuffer> };
  return { body: body.chunks() as unknown as ReadableStream, duplex: "half" } as RequestInit;
}

/** Returns the URL of a Location header. Throws if it leads from https to http, or to something that is not HTTP. */
export function resolveLocation(location: string, base: URL, { registry }: Pick<ImageReference, "registry">): URL {
  const url = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  const isAllowed = url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && base.protocol === "http:"));
  if (isAllowed && url.username === "" && url.password === "") return url;
  throw new PintleError(
    "PINTLE7083",
    `registry ${registry} refers to ${JSON.stringify(location)}, which is not a URL with https: it is not used`,
  );
}

/** The codes of certificates whose authority is unknown. */
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER/;

function adviseOn({ cause }: { readonly cause?: unknown }, { host }: URL, insecure: boolean): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? "";
  if (code === "ENOTFOUND") return ". Check the host name";
  if (UNTRUSTED.test(code)) {
    return `. Name the certificate of its authority in SSL_CERT_FILE, or put it into ~/.config/containers/certs.d/${host}/ca.crt`;
  }
  return insecure ? "" : ". For a registry without TLS use --insecure-registry";
}
