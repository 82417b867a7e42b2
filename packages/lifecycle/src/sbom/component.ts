import { createHash } from "node:crypto";

/** Something that an image contains. */
export interface SbomComponent {
  readonly kind: "library" | "container" | "file" | "operating-system";
  readonly name: string;
  readonly version?: string | undefined;
  /** A package URL: `pkg:npm/yaml@2.9.1`. */
  readonly purl?: string | undefined;
  /** An SPDX license expression. */
  readonly license?: string | undefined;
  /** SHA-256 in hex. */
  readonly sha256?: string | undefined;
  /** Whether the image only refers to it, as a bundle does to the images of its operator. */
  readonly isReferred?: boolean | undefined;
}

/** An image with what it contains. */
export interface SbomInput {
  /** "ghcr.io/me/shop" */
  readonly name: string;
  readonly version: string;
  /** The digest of the image. */
  readonly digest: string;
  readonly components: readonly SbomComponent[];
  readonly created: Date;
  /** The version of Pintle. */
  readonly tool: string;
}

/** The package URL of an image. */
export function imagePurl({ name, digest }: Pick<SbomInput, "name" | "digest">): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return `pkg:oci/${encodeURIComponent(last)}@${encodeURIComponent(digest)}?repository_url=${encodeURIComponent(name)}`;
}

/** The package URL of a package of npm. */
export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.split("/").map(encodeURIComponent).join("/")}@${encodeURIComponent(version)}`;
}

/** A UUID that follows from a text. */
export function deriveUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Seconds: neither format wants more. */
export function formatTime(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** Licenses of packages are written by others: what is no expression is not claimed to be one. */
export function isLicenseExpression(text: string): boolean {
  return /^[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*$/.test(text.replaceAll(/[()]/g, "")) && /[A-Za-z]/.test(text);
}
