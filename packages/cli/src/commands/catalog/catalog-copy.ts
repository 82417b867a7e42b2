import { existsSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Image, ImageReference, ImageStore, OpenedImage } from "@pintle/lifecycle/internal/image";
import type { AttachmentTarget } from "@pintle/lifecycle/internal/signing";
import {
  type Command,
  CommandError,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
  withProgress,
} from "../../command/index.ts";
import { formatBytes } from "../image/build.ts";
import { imageOptions, REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

const MIRRORS_FILE = "registries.conf";
const CONCURRENCY = 3;

export const catalogCopy: Command = {
  name: "catalog copy",
  summary: "Mirror a catalog with every image that it names, and their signatures, to an OCI layout or another registry, and back.",
  usage:
    "<CATALOG> <DESTINATION> [--package PACKAGES] [--dry-run] [--skip-missing] [--images-only]\n  [--insecure-registry] [--output json|yaml]",
  options: {
    package: { type: "string" },
    "dry-run": { type: "boolean" },
    "skip-missing": { type: "boolean" },
    "images-only": { type: "boolean" },
    ...REGISTRY_OPTION,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    package: "copy the images of these packages only, separated by commas",
    "dry-run": "list what would be copied",
    "skip-missing": "go on when an image cannot be read, and list it at the end",
    "images-only": "leave out signatures, SBOMs and attestations",
    ...REGISTRY_DESCRIPTION,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle catalog copy ghcr.io/me/catalog:v1 oci:mirror",
    "pintle catalog copy oci:mirror registry.internal:5000/mirror",
    "pintle catalog copy catalog registry.internal:5000/mirror --package shop,cart",
  ],
  maxPositionals: 2,
  async run(args, io) {
    const [source, destination] = args.positionals;
    const output = outputFormatter(args);
    if (source === undefined || destination === undefined) {
      throw new CommandError("PINTLE7002", "name the catalog and where it is copied to. See 'pintle catalog copy --help'", 2);
    }
    const target = await openTarget(destination, args, io);
    const images = await listImages(source, args, io);
    const plan = images.map((image) => ({ from: image, to: target.nameOf(image) }));
    if (args.values["dry-run"] === true) {
      if (output !== undefined) return io.out(output({ images: plan }));
      return io.out(plan.map(({ from, to }) => `${from}\n  -> ${to}\n`).join(""));
    }
    const isLayout = isLayoutSource(source, io.cwd);
    /** In the order of the plan: images are copied several at a time. */
    const results = new Map<string, CopiedImage>();
    const failed: { readonly image: string; readonly error: string }[] = [];
    let done = 0;
    const copyNext = async (queue: typeof plan): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        io.signal.throwIfAborted();
        const { from } = next;
        try {
          const opened = await openSource(from, isLayout ? source : undefined, args, io);
          results.set(from, await target.write(from, opened));
        } catch (error) {
          if (args.values["skip-missing"] !== true || io.signal.aborted) throw explainFailure(from, error);
          failed.push({ image: from, error: (error as Error).message });
        }
        done++;
        if (output === undefined && io.tty) io.err(`\r\u001b[K${done} of ${images.length}  ${from.slice(0, 80)}`);
      }
    };
    const queue = [...plan];
    // One writer for a layout: its index is a single file.
    const workers = Array.from({ length: target.isConcurrent ? CONCURRENCY : 1 }, () => copyNext(queue));
    await withProgress(io, `copying ${images.length} images`, Promise.all(workers));
    if (output === undefined && io.tty) io.err("\r\u001b[K");
    const mirrors = await target.finish(images);
    const copied = plan.flatMap(({ from }) => results.get(from) ?? []);
    const sent = copied.reduce((sum, each) => sum + each.bytes, 0);
    if (output !== undefined) io.out(output({ images: copied, failed, bytes: sent, mirrors }));
    else {
      io.out(copied.map(({ from, to, digest }) => `${from}\n  -> ${to}  ${digest}\n`).join(""));
      const attached = copied.reduce((sum, each) => sum + each.attachments, 0);
      const others = attached === 0 ? "" : ` and ${attached} signatures, SBOMs or attestations`;
      io.out(
        `${copied.length} images${others}, ${formatBytes(sent)} written${mirrors === undefined ? "" : `; ${mirrors} maps them for the nodes`}\n`,
      );
      for (const { image, error } of failed) io.err(`missing: ${image}: ${error}\n`);
    }
    return failed.length > 0 ? 1 : 0;
  },
};

interface CopiedImage {
  readonly from: string;
  readonly to: string;
  readonly digest: string;
  /** The number of signatures, SBOMs and attestations that were copied with it. */
  readonly attachments: number;
  readonly bytes: number;
}

/** Where images are copied to. */
interface CopyTarget {
  readonly isConcurrent: boolean;
  nameOf(image: string): string;
  write(image: string, opened: OpenedImage): Promise<CopiedImage>;
  /** Returns the file that was written beside the images, if there is one. */
  finish(images: readonly string[]): Promise<string | undefined>;
}

async function openTarget(destination: string, args: ParsedArguments, io: Io): Promise<CopyTarget> {
  const { loadImage, openLayout, openRepository, parseImageReference, pushImage, writeLayout } = await import(
    "@pintle/lifecycle/internal/image"
  );
  const { copyAttachments } = await import("@pintle/lifecycle/internal/signing");
  const copyAttached = async (images: ImageStore, { manifests }: Image, place: AttachmentTarget) => {
    if (args.values["images-only"] === true) return { count: 0, bytes: 0 };
    return copyAttachments(
      images,
      manifests.map(({ digest }) => digest),
      place,
    );
  };
  if (isLayoutName(destination)) {
    const folder = path.resolve(io.cwd, destination.replace(/^oci:/, ""));
    if (existsSync(folder) && !statSync(folder).isDirectory()) throw new CommandError("PINTLE7098", `${folder} is not a folder`);
    const nameOf = (image: string) => `oci:${destination.replace(/^oci:/, "")}:${image}`;
    return {
      isConcurrent: false,
      nameOf,
      async write(image, { images, reference }) {
        const loaded = await loadImage(images, reference);
        const bytes = await writeLayout(folder, loaded, image, { keepOthers: true });
        const attached = await copyAttached(images, loaded, {
          images: openLayout(folder),
          write: (each, tag) => writeLayout(folder, each, tag, { keepOthers: true }),
          listsReferrers: () => Promise.resolve(false),
        });
        return {
          from: image,
          to: nameOf(image),
          digest: loaded.root.digest,
          attachments: attached.count,
          bytes: bytes + attached.bytes,
        };
      },
      finish: () => Promise.resolve(undefined),
    };
  }
  // The tag is replaced by that of each image.
  const base = parseImageReference(`${destination.replace(/^docker:\/\//, "").replace(/\/$/, "")}/x`);
  const prefix = `${base.registry}/${base.repository.slice(0, -2)}`.replace(/\/$/, "");
  const nameOf = (image: string) => {
    const { repository, reference } = parseImageReference(image);
    return `${prefix}/${repository}${reference.startsWith("sha256:") ? "@" : ":"}${reference}`;
  };
  return {
    isConcurrent: true,
    nameOf,
    async write(image, { images, reference }) {
      const loaded = await loadImage(images, reference);
      const at = parseImageReference(nameOf(image));
      const options = imageOptions(args, io);
      const repository = openRepository(at, { signal: io.signal, insecure: options.insecure() });
      const { sent } = await pushImage(repository, loaded, at.reference);
      const attached = await copyAttached(images, loaded, {
        images: repository,
        write: async (each, tag) => (await pushImage(repository, each, tag)).sent,
        listsReferrers: async (digest) => (await repository.referrers(digest)) !== undefined,
      });
      return { from: image, to: nameOf(image), digest: loaded.root.digest, attachments: attached.count, bytes: sent + attached.bytes };
    },
    async finish(images) {
      const file = path.resolve(io.cwd, MIRRORS_FILE);
      if (existsSync(file)) return undefined;
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(
        file,
        formatMirrors(
          images.map((image) => parseImageReference(image)),
          prefix,
          args.values["insecure-registry"] === true,
        ),
      );
      return MIRRORS_FILE;
    },
  };
}

/** The configuration that makes container engines, and the catalogd of OLM, take images from the mirror. */
function formatMirrors(images: readonly ImageReference[], prefix: string, insecure: boolean): string {
  const locations = [...new Set(images.map(({ registry, repository }) => `${registry}/${repository}`))].sort();
  const entries = locations.map((location) => {
    const repository = location.slice(location.indexOf("/") + 1);
    const lines = ["[[registry]]", `location = "${location}"`, "", "[[registry.mirror]]", `location = "${prefix}/${repository}"`];
    return `${lines.join("\n")}\n${insecure ? "insecure = true\n" : ""}`;
  });
  return `# For /etc/containers/registries.conf.d\n${entries.join("\n")}`;
}

/** The images of a catalog, and the catalog's own if it is one. Of a layout, everything in it. */
async function listImages(source: string, args: ParsedArguments, io: Io): Promise<readonly string[]> {
  if (isLayoutSource(source, io.cwd)) {
    const { listLayout } = await import("@pintle/lifecycle/internal/image");
    const named = (await listLayout(path.resolve(io.cwd, source.replace(/^oci:/, "")))).flatMap(({ name }) => name ?? []);
    const full = named.filter((name) => /[/]/.test(name));
    if (full.length === 0) {
      throw new CommandError(
        "PINTLE7098",
        `${source} has no images with full names: copy a catalog into it first, with pintle catalog copy CATALOG ${source}`,
      );
    }
    return full.sort();
  }
  const { listCatalogImages } = await import("@pintle/lifecycle/internal/source");
  const packages = (args.values["package"] as string | undefined)?.split(",").map((name) => name.trim());
  const reading = withCatalogFolder(source, args, io, (folder, image) => {
    const images = listCatalogImages(folder, packages);
    if (packages !== undefined && images.length === 0) {
      throw new CommandError("PINTLE7098", `the catalog has no package ${packages.join(" or ")}: see pintle catalog search "" ${source}`);
    }
    return Promise.resolve(image === undefined ? images : [...new Set([source.replace(/^docker:\/\//, ""), ...images])]);
  });
  return withProgress(io, `reading ${source}`, reading);
}

async function openSource(image: string, layout: string | undefined, args: ParsedArguments, io: Io): Promise<OpenedImage> {
  const { openImage, openLayout } = await import("@pintle/lifecycle/internal/image");
  if (layout !== undefined) return { images: openLayout(path.resolve(io.cwd, layout.replace(/^oci:/, ""))), reference: image };
  return openImage(image, imageOptions(args, io));
}

function explainFailure(image: string, error: unknown): unknown {
  const code = (error as { readonly code?: string }).code;
  if (!code?.startsWith("PINTLE")) return error;
  return new CommandError(
    "PINTLE7100",
    `${image} was not copied: ${(error as Error).message}. Go on without such images with --skip-missing`,
  );
}

const isLayoutName = (text: string) => text.startsWith("oci:") || /^\.{0,2}\//.test(text);

/** A layout with images is a mirror: a catalog in a layout has no images besides itself. */
function isLayoutSource(source: string, cwd: string): boolean {
  const folder = path.resolve(cwd, source.replace(/^oci:/, ""));
  return existsSync(path.join(folder, "oci-layout")) && !/^oci:[^:]+:./.test(source);
}
