/** A fully qualified image name. */
export interface ImageReference {
  /** "docker.io/library/memcached" */
  readonly name: string;
  readonly tag: string;
  readonly digest?: string | undefined;
}

/** Parses "nginx", "quay.io/coreos/etcd:v3.5.0", "localhost:5000/app@sha256:...". */
export function parseImageReference(text: string): ImageReference {
  const [named = "", digest] = text.split("@");
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  const bare = colon < 0 ? named : named.slice(0, colon);
  const tag = colon < 0 ? "latest" : named.slice(colon + 1);
  const [first = "", ...rest] = bare.split("/");
  const hosted = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const name = hosted ? bare : `docker.io/${rest.length === 0 ? "library/" : ""}${bare}`;
  return digest === undefined ? { name, tag } : { name, tag, digest };
}

export const formatImageReference = ({ name, tag, digest }: ImageReference) =>
  digest === undefined ? `${name}:${tag}` : `${name}@${digest}`;
