import { readFileSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command/index.ts";
import type { OlmConfig, Project } from "../project/index.ts";

/** What catalogs show of an operator, with all defaults. */
export interface Presentation {
  readonly package: string;
  readonly displayName: string;
  /** Markdown. */
  readonly description: string;
  /** One line, for lists of operators. */
  readonly summary: string;
  /** Where the source code is. */
  readonly repository: string | undefined;
  readonly icon: { readonly base64data: string; readonly mediatype: string };
  readonly provider: { readonly name: string; readonly url?: string | undefined };
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly links: readonly { readonly name: string; readonly url: string }[];
  readonly keywords: readonly string[];
  readonly categories: readonly string[];
  readonly maturity: string;
  readonly capabilities: string;
  readonly minKubeVersion: string;
  readonly channels: readonly string[];
}

interface PackageJson {
  readonly description?: string;
  readonly author?: string | { readonly name: string; readonly email?: string; readonly url?: string };
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
  readonly keywords?: readonly string[];
}

/** The oldest release that docs/compatibility.md names. */
const MIN_KUBE_VERSION = "1.33.0";

/** Returns the `olm` block of pintle.config.ts, completed from package.json. */
export function readPresentation({ root, name, version, config }: Project): Presentation {
  const olm: OlmConfig = config.olm ?? {};
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as PackageJson;
  const author = parseAuthor(manifest.author);
  const displayName = olm.displayName ?? toWords(name);
  const isPreview = version.startsWith("0.");
  const description = olm.description ?? manifest.description ?? `${displayName} for Kubernetes.`;
  return {
    package: olm.package ?? name,
    displayName,
    description,
    summary: summarize(manifest.description ?? description),
    repository: parseRepository(manifest.repository),
    icon: olm.icon === undefined ? createIcon(displayName) : readIcon(root, olm.icon),
    provider: olm.provider ?? { name: author?.name ?? displayName, ...(author?.url === undefined ? {} : { url: author.url }) },
    maintainers: olm.maintainers ?? (author?.email === undefined ? [] : [{ name: author.name, email: author.email }]),
    links: olm.links ?? (manifest.homepage === undefined ? [] : [{ name: displayName, url: manifest.homepage }]),
    keywords: olm.keywords ?? manifest.keywords ?? [],
    categories: olm.categories ?? [],
    maturity: olm.maturity ?? (isPreview ? "alpha" : "stable"),
    capabilities: olm.capabilities ?? "Basic Install",
    minKubeVersion: olm.minKubeVersion ?? MIN_KUBE_VERSION,
    channels: olm.channels ?? [isPreview ? "candidate" : "stable"],
  };
}

/** operatorhub.io shows 135 characters. */
const SUMMARY_LENGTH = 135;

/** The first line of Markdown that is not a heading, cut at a word. */
function summarize(description: string): string {
  const lines = description.split("\n").map((line) => line.trim());
  const line = lines.find((each) => each !== "" && !each.startsWith("#")) ?? "";
  if (line.length <= SUMMARY_LENGTH) return line;
  const cut = line.slice(0, SUMMARY_LENGTH - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 1))}…`;
}

/** `git+https://github.com/acme/shop.git` -> `https://github.com/acme/shop`. */
function parseRepository(repository: PackageJson["repository"]): string | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  const cleaned = url?.replace(/^git\+/, "").replace(/\.git$/, "");
  return cleaned?.startsWith("https://") === true ? cleaned : undefined;
}

/** Parses `Name <email> (url)`, as npm does. */
function parseAuthor(author: PackageJson["author"]): { readonly name: string; readonly email?: string; readonly url?: string } | undefined {
  if (typeof author !== "string") return author;
  const [, email] = /<([^<>]*)>/.exec(author) ?? [];
  const [, url] = /\(([^()]*)\)/.exec(author) ?? [];
  const [name = ""] = author.split(/[<(]/);
  return { name: name.trim(), ...(email === undefined ? {} : { email }), ...(url === undefined ? {} : { url }) };
}

function toWords(name: string): string {
  return name
    .split("-")
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join(" ");
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
};

function readIcon(root: string, file: string): Presentation["icon"] {
  const mediatype = MEDIA_TYPES[path.extname(file).toLowerCase()];
  if (mediatype === undefined) {
    throw new CommandError("PINTLE7096", `olm.icon: ${file} must be a file with the extension ${Object.keys(MEDIA_TYPES).join(", ")}`);
  }
  try {
    return { base64data: readFileSync(path.join(root, file)).toString("base64"), mediatype };
  } catch (error) {
    throw new CommandError("PINTLE7096", `olm.icon: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Catalogs reject an empty icon, and warn about none. */
function createIcon(displayName: string): Presentation["icon"] {
  const letter = /[A-Za-z0-9]/.exec(displayName)?.[0]?.toUpperCase() ?? "O";
  const text = `<text x="32" y="44" font-family="sans-serif" font-size="36" text-anchor="middle" fill="#fff">${letter}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="8" fill="#3178c6"/>${text}</svg>`;
  return { base64data: Buffer.from(svg).toString("base64"), mediatype: "image/svg+xml" };
}
