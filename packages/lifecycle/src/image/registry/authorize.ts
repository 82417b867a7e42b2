import { isIP } from "node:net";
import { PintleError } from "pintle/internal/errors";
import { isLoopbackHost } from "pintle/internal/loopback";
import { MAX_MANIFEST_BYTES } from "../manifests.ts";
import type { RegistryLogin } from "./credentials.ts";
import { readText } from "./read-text.ts";
import type { ImageReference } from "./reference.ts";
import { fetchFromRegistry } from "./registry-fetch.ts";

/** Finds the login for a registry. */
export type FindLogin = (registry: string, repository?: string) => RegistryLogin | undefined;

/** Creates a function that returns the Authorization header for a challenge of the registry at `origin`. */
export function createAuthorizer(image: ImageReference, origin: URL, signal: AbortSignal, findLogin: FindLogin) {
  return async function authorize(challenge: string): Promise<string | undefined> {
    const parameters = parseBearerChallenge(challenge);
    const realm = parameters?.["realm"];
    if (parameters === undefined || realm === undefined) return basicHeader(findLogin(image.registry, image.repository));
    const url = checkRealm(realm, origin, image);
    const login = findTokenLogin(url, origin, image, findLogin);
    if (parameters["service"] !== undefined) url.searchParams.set("service", parameters["service"]);
    url.searchParams.set("scope", parameters["scope"] ?? `repository:${image.repository}:pull,push`);
    const authorization = basicHeader(login);
    // A redirect of a token server would take the credentials along.
    const response = await fetchFromRegistry(url, {
      signal,
      redirect: "error",
      headers: authorization === undefined ? {} : { authorization },
    }).catch((error: Error & { cause?: Error }) => {
      signal.throwIfAborted();
      if (error instanceof PintleError) throw error;
      throw new PintleError(
        "PINTLE7078",
        `cannot get a token for registry ${image.registry} from ${url.host}: ${error.cause?.message ?? error.message}`,
      );
    });
    if (!response.ok)
      throw new PintleError(
        "PINTLE7078",
        `registry ${image.registry} refused a token: ${response.status}. ${adviseOnLogin(image, findLogin)}`,
      );
    const text = await readText(response, MAX_MANIFEST_BYTES, `token of registry ${image.registry}`);
    const { token, access_token } = JSON.parse(text) as { readonly token?: string; readonly access_token?: string };
    return `Bearer ${token ?? access_token}`;
  };
}

/** What helps where a registry refuses a request. */
export function adviseOnLogin({ registry, repository }: ImageReference, findLogin: FindLogin): string {
  const login = findLogin(registry, repository);
  if (login === undefined) return `Log in with 'docker login ${registry}'`;
  return `The stored login of ${login.username || "a token"} is not accepted: log in with 'docker login ${registry}' again`;
}

function basicHeader(login: RegistryLogin | undefined): string | undefined {
  return login === undefined ? undefined : `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
}

function parseBearerChallenge(challenge: string): Readonly<Record<string, string>> | undefined {
  if (!/^bearer /i.test(challenge)) return undefined;
  return Object.fromEntries([...challenge.matchAll(/(?<=[ ,])(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!.toLowerCase(), value!]));
}

/** Returns the URL of the token server. It must use https, unless it is the registry itself and uses http. */
function checkRealm(realm: string, origin: URL, { registry }: ImageReference): URL {
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  const isPlain = url?.protocol === "http:" && url.origin === origin.origin;
  if (url !== undefined && (url.protocol === "https:" || isPlain) && url.username === "" && url.password === "") return url;
  throw new PintleError(
    "PINTLE7083",
    `registry ${registry} names the token server ${JSON.stringify(realm)}, which is not a URL with https`,
  );
}

/** Returns the login for a token server: that of the registry if the two are related, else only one that is stored for the server itself. */
function findTokenLogin(realm: URL, origin: URL, image: ImageReference, findLogin: FindLogin): RegistryLogin | undefined {
  const { registry, repository } = image;
  if (isRelated(origin, realm)) return findLogin(registry, repository);
  const own = findLogin(realm.host);
  if (own !== undefined || findLogin(registry, repository) === undefined) return own;
  throw new PintleError(
    "PINTLE7083",
    `registry ${registry} asks for your login at ${realm.host}, which is another domain. If it belongs to the registry, add a login for ${realm.host} to the Docker configuration`,
  );
}

/**
 * Returns whether a token server belongs to a registry: the same origin; or over https the same host, one below it, or one below the registry's
 * parent domain (registry-1.docker.io and auth.docker.io, registry.gitlab.com and gitlab.com). On an address or localhost every port may
 * belong to another service, so these are related only to themselves.
 */
export function isRelated(origin: URL, tokenServer: URL): boolean {
  if (origin.origin === tokenServer.origin) return true;
  const [registry, realm] = [origin.hostname, tokenServer.hostname];
  if (tokenServer.protocol !== "https:" || isAddress(registry) || isAddress(realm)) return false;
  if (registry === realm) return true;
  const parent = registry.slice(registry.indexOf(".") + 1);
  return [registry, ...(isSharedSuffix(parent) ? [] : [parent])].some((domain) => realm === domain || realm.endsWith(`.${domain}`));
}

const isAddress = (host: string) => host.startsWith("[") || isIP(host) !== 0 || isLoopbackHost(host);

/** Returns whether unrelated parties have names below a domain: "io", "co.uk". */
function isSharedSuffix(domain: string): boolean {
  const labels = domain.split(".").filter((label) => label !== "");
  if (labels.length < 2) return true;
  const [second = "", top = ""] = labels.slice(-2);
  return labels.length === 2 && top.length === 2 && (second.length <= 2 || SECOND_LEVEL.has(second));
}
const SECOND_LEVEL = new Set(["com", "net", "org", "edu", "gov", "mil", "info", "gob", "gouv", "nom", "web"]);
