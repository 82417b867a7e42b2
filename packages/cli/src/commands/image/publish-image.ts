import { isLoopbackUrl } from "pintle/internal/loopback";
import { type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { type BaseImage, type Image, type ImageReference, openRepository, pushImage, resolveBaseImages } from "../../image/index.ts";
import { type Evidence, type EvidenceChoice, publishEvidence } from "../../supply-chain/index.ts";
import { cliVersion } from "../version.ts";

export const BASE_IMAGE_OPTIONS = { base: { type: "string" }, platform: { type: "string" } } as const;
export const PLATFORM_DESCRIPTION = "comma-separated platforms of the base image, such as linux/amd64,linux/arm64 (default: all)";

type Values = ParsedArguments["values"];

/** Fetches the base images that --base and --platform name, for an image that is built as `reference`. */
export async function fetchBaseImages(values: Values, reference: ImageReference, io: Io): Promise<readonly BaseImage[]> {
  const insecure = values["insecure-registry"] === true;
  const baseImages = resolveBaseImages({
    base: values["base"] as string | undefined,
    platforms: String(values["platform"] ?? "")
      .split(",")
      .filter(Boolean),
    insecure: (registry) => insecure && (registry === reference.registry || isLoopbackUrl(`http://${registry}`)),
    cwd: io.cwd,
    signal: io.signal,
  });
  return withProgress(io, "fetching the base image", baseImages);
}

/** An image to publish. */
export interface ImageToPublish {
  /** As the user wrote it. */
  readonly name: string;
  readonly reference: ImageReference;
  readonly image: Image;
  readonly evidence?:
    | { readonly choice: EvidenceChoice; readonly describe: () => Pick<Evidence, "version" | "components" | "build"> }
    | undefined;
}

/** A published image, as the command reports it. */
export interface PublishedImage {
  /** Bytes that the registry did not have; undefined without --push. */
  readonly sent: number | undefined;
  /** What was attached to the image, for people. */
  readonly attached: readonly string[];
  /** The fields for -o json that are set. */
  readonly report: { readonly sent?: number; readonly attached?: readonly string[] };
}

/** Pushes an image if --push is set, and publishes its signature, bills of materials and provenance beside it. */
export async function publishImage({ name, reference, image, evidence }: ImageToPublish, values: Values, io: Io): Promise<PublishedImage> {
  const repository = openRepository(reference, { insecure: values["insecure-registry"] === true, signal: io.signal });
  const pushed =
    values["push"] === true ? await withProgress(io, `pushing ${name}`, pushImage(repository, image, reference.reference)) : undefined;
  const attached =
    evidence === undefined
      ? []
      : await publishEvidence(io, evidence.choice, { repository, image, ...evidence.describe(), tool: cliVersion() });
  const sent = pushed?.sent;
  return { sent, attached, report: { ...(sent === undefined ? {} : { sent }), ...(attached.length === 0 ? {} : { attached }) } };
}
