import { CommandError } from "../../command.ts";

/** "ghcr.io/me/shop:1.0" taken apart. */
export interface Reference {
  readonly registry: string;
  readonly repository: string;
  /** A tag, or a digest where one is given. */
  readonly reference: string;
}

/** As Docker reads them: without a registry it is Docker Hub, without a tag it is "latest". */
export function parseReference(text: string): Reference {
  const [, name = "", tag, digest] = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? [];
  const [first = "", ...rest] = name.split("/");
  const isHost = rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost");
  const path = (isHost ? rest : [first, ...rest]).join("/");
  if (!/^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/.test(path)) {
    throw new CommandError(`pintle: "${text}" does not name an image: write it like ghcr.io/me/shop:1.0.0`, 2);
  }
  const reference = digest ?? tag ?? "latest";
  if (!isHost) return { registry: "docker.io", repository: rest.length === 0 ? `library/${path}` : path, reference };
  return { registry: first, repository: path, reference };
}

/** Docker Hub answers under another name than it has. */
export const hostOf = ({ registry }: Reference) => (registry === "docker.io" ? "registry-1.docker.io" : registry);
