import path from "node:path";
import type { Container } from "pintle/kinds/core/v1";
import { programOf, searchPath } from "./command.ts";
import { type PulledImage, pull } from "./oci/pull.ts";
import { isLocalRegistry, layoutSource, registrySource } from "./oci/source.ts";
import { reference, referenceText } from "./reference.ts";
import { entryOf, type ImageEntry, type ImageTable } from "./table.ts";

/** An image that is here, and what it is. */
export interface LocalImage {
  readonly entry: ImageEntry;
  readonly id: string;
  /** Where it is unpacked, if it is more than a program of this machine. */
  readonly rootfs?: string | undefined;
  /** What was fetched for it just now. */
  readonly fetched?: { readonly bytes: number; readonly took: number } | undefined;
}

/** Why there is no such image: what a container waits for. */
export class ImageProblem extends Error {
  readonly reason: "ErrImagePull" | "ErrImageNeverPull";
  constructor(reason: ImageProblem["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ImageStore {
  /** Before it is asked for: is it fetched anew? */
  isFetched(container: Container): boolean;
  get(container: Container): Promise<LocalImage>;
}

export interface ImageStoreOptions {
  readonly table: ImageTable;
  /** Where images are unpacked. */
  readonly folder: string;
  readonly mayChown: boolean;
}

/** Images of the table, which are programs of this machine, and those of OCI layouts and of registries on loopback. */
export function imageStore({ table, folder, mayChown }: ImageStoreOptions): ImageStore {
  const search = searchPath();
  const pulled = new Map<string, Promise<PulledImage>>();
  const isOci = (image: string) => entryOf(table, image)?.layout !== undefined || isLocalRegistry(reference(image));
  const isAgain = ({ image = "", imagePullPolicy }: Container) => imagePullPolicy === "Always" || (isOci(image) && !pulled.has(image));

  const fromTable = ({ image = "", imagePullPolicy }: Container, entry: ImageEntry): LocalImage => {
    const [word] = entry.command ?? [];
    const program = word === undefined ? undefined : programOf(word, entry, search);
    if (word !== undefined && program === undefined)
      throw failed(image, `its program ${word} is not on this machine: install it, or name another in the image table`);
    const fetched = imagePullPolicy === "Always" ? { fetched: { bytes: 0, took: 0 } } : {};
    return { entry, id: `process://${program ?? reference(image).name}`, ...fetched };
  };
  const fromOci = async (container: Container, known: ImageEntry | undefined): Promise<LocalImage> => {
    const { image = "", imagePullPolicy } = container;
    const fetch = isAgain(container);
    if (fetch && imagePullPolicy === "Never") throw never(image);
    const ref = reference(image);
    const began = performance.now();
    if (fetch) {
      const source = known?.layout === undefined ? registrySource(ref) : layoutSource(path.resolve(known.layout));
      const pulling = pull(source, ref.digest ?? ref.tag, folder, mayChown);
      pulled.set(image, pulling);
      pulling.catch(() => pulled.delete(image));
    }
    try {
      const { entry, rootfs, digest, bytes } = await pulled.get(image)!;
      const fetched = fetch ? { fetched: { bytes, took: Math.round(performance.now() - began) } } : {};
      return { entry: { ...entry, ...known, env: { ...entry.env, ...known?.env } }, rootfs, id: `${ref.name}@${digest}`, ...fetched };
    } catch (error) {
      throw failed(image, error instanceof Error ? error.message : String(error));
    }
  };
  return {
    isFetched: (container) => isAgain(container) || (entryOf(table, container.image ?? "") === undefined && !isOci(container.image ?? "")),
    async get(container) {
      const { image = "", imagePullPolicy } = container;
      const entry = entryOf(table, image);
      if (isOci(image)) return fromOci(container, entry);
      if (entry !== undefined) return fromTable(container, entry);
      if (imagePullPolicy === "Never") throw never(image);
      const full = referenceText(reference(image));
      throw failed(image, `failed to resolve image: ${full}: not found: this node's image table has no such name`);
    },
  };
}

const never = (image: string) =>
  new ImageProblem("ErrImageNeverPull", `Container image "${image}" is not present with pull policy of Never`);
const failed = (image: string, why: string) =>
  new ImageProblem("ErrImagePull", `failed to pull and unpack image "${referenceText(reference(image))}": ${why}`);
