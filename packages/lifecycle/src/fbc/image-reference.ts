/** Image references, parsed as the Go library containers/image parses them: normalized, with Docker Hub as the default registry. */

const MAX_NAME_LENGTH = 255;
const INVALID = "invalid reference format";

/** Why `text` is not an image reference, in the words of the Go library; undefined if it is one. */
export function findReferenceProblem(text: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(text)) return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  const { domain, path } = splitDomain(text);
  const [name, ...afterName] = path.split(":");
  if (name!.toLowerCase() !== name) return `${INVALID}: repository name must be lowercase`;
  const { repository, tag, digest } = splitTagAndDigest(path, afterName);
  const domainAndPort = /^([^:]*)(?::([0-9]+))?$/.exec(domain);
  const components = repository.split("/");
  const isValid =
    domainAndPort !== null &&
    domainAndPort[1]!.split(".").every((part) => /^[a-zA-Z0-9-]+$/.test(part) && !part.startsWith("-") && !part.endsWith("-")) &&
    components.every(isNameComponent) &&
    (tag === undefined || /^\w[\w.-]{0,127}$/.test(tag)) &&
    (digest === undefined || isDigestShaped(digest));
  if (!isValid) return INVALID;
  if (domain.length + 1 + repository.length > MAX_NAME_LENGTH) return `repository name must not be more than ${MAX_NAME_LENGTH} characters`;
  return digest === undefined ? undefined : findDigestProblem(digest);
}

function splitDomain(text: string): { readonly domain: string; readonly path: string } {
  const at = text.indexOf("/");
  const first = text.slice(0, at);
  const isDomain = at !== -1 && (/[.:]/.test(first) || first === "localhost");
  const domain = !isDomain || first === "index.docker.io" ? "docker.io" : first;
  const path = isDomain ? text.slice(at + 1) : text;
  return { domain, path: domain === "docker.io" && !path.includes("/") ? `library/${path}` : path };
}

function splitTagAndDigest(path: string, afterName: readonly string[]) {
  const at = path.indexOf("@");
  const digest = at === -1 ? undefined : path.slice(at + 1);
  const beforeDigest = at === -1 ? path : path.slice(0, at);
  const colon = afterName.length === 0 ? -1 : beforeDigest.indexOf(":");
  return {
    repository: colon === -1 ? beforeDigest : beforeDigest.slice(0, colon),
    tag: colon === -1 ? undefined : beforeDigest.slice(colon + 1),
    digest,
  };
}

/** Lower case letters and digits; between them one of `.`, `_`, `__`, or hyphens. */
function isNameComponent(text: string): boolean {
  if (!/^[a-z0-9._-]+$/.test(text)) return false;
  const separators = text.split(/[a-z0-9]+/);
  return separators[0] === "" && separators.at(-1) === "" && separators.slice(1, -1).every((each) => /^(?:[._]|__|-+)$/.test(each));
}

function isDigestShaped(digest: string): boolean {
  const [algorithm = "", hex = "", ...more] = digest.split(":");
  return (
    more.length === 0 && /^[0-9a-fA-F]{32,}$/.test(hex) && algorithm.split(/[-_+.]/).every((part) => /^[A-Za-z][A-Za-z0-9]*$/.test(part))
  );
}

const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

function findDigestProblem(digest: string): string | undefined {
  const [algorithm = "", hex = ""] = digest.split(":");
  if (!/^[a-z0-9+._-]+$/.test(algorithm)) return "invalid checksum digest format";
  const length = Object.hasOwn(DIGEST_LENGTHS, algorithm) ? DIGEST_LENGTHS[algorithm] : undefined;
  if (length === undefined) return "unsupported digest algorithm";
  if (hex.length !== length) return "invalid checksum digest length";
  return /^[a-f0-9]+$/.test(hex) ? undefined : "invalid checksum digest format";
}
