import { PintleError } from "pintle/internal/errors";

/** A parsed image reference such as "ghcr.io/me/shop:1.0". */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  /** The digest if there is one, otherwise the tag. */
  readonly reference: string;
}

const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Parses an image reference as Docker does: the default registry is Docker Hub, the default tag "latest". */
export function parseImageReference(text: string): ImageReference {
  const [tagged = "", digest] = splitAt(text, text.indexOf("@"));
  const [name, tag] = splitAt(tagged, tagged.lastIndexOf(":") > tagged.lastIndexOf("/") ? tagged.lastIndexOf(":") : -1);
  const [first = "", ...rest] = name.split("/");
  const isHost = rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost");
  const path = (isHost ? rest : [first, ...rest]).join("/");
  const isValid = TAG.test(tag ?? "latest") && (digest === undefined || DIGEST.test(digest));
  if (
    !isValid ||
    (isHost && !/^([a-z0-9]+((\.|-+)[a-z0-9]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(first)) ||
    !/^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/.test(path)
  ) {
    throw new PintleError("PINTLE7070", `invalid image reference "${text}": must be of the form ghcr.io/me/shop:1.0.0`);
  }
  const reference = digest ?? tag ?? "latest";
  if (!isHost) return { registry: "docker.io", repository: rest.length === 0 ? `library/${path}` : path, reference };
  return { registry: first, repository: path, reference };
}

function splitAt(text: string, at: number): readonly [string, string?] {
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Formats a reference with registry and repository: "docker.io/library/node:22". */
export function formatImageReference({ registry, repository, reference }: ImageReference): string {
  return `${registry}/${repository}${reference.startsWith("sha256:") ? "@" : ":"}${reference}`;
}

/** Docker Hub serves its API on a different host. */
export const getRegistryHost = ({ registry }: ImageReference) => (registry === "docker.io" ? "registry-1.docker.io" : registry);
