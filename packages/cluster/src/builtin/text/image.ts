/** A repository path is lower case; before it there may be a registry, which has a dot, a port, or is localhost. */
const REPOSITORY = /^(?:(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?\/)?[a-z0-9]+(?:[._\-/]+[a-z0-9]+)*$/;

/** Room is left for the registry and folder that a short name stands for. */
const LONGEST = 255 - "docker.io/library/".length;

/** The tag of an image reference; "latest" when it has neither tag nor digest, "" when it is no reference at all. */
export function imageTag(reference: string): string {
  const [name = "", digest] = reference.split("@");
  const [, repository = "", tag] = /^(.*?)(?::([\w][\w.-]*))?$/.exec(name) ?? [];
  if (!REPOSITORY.test(repository) || repository.length > LONGEST || /^[a-f0-9]{64}$/.test(repository)) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}
