import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBundleFolder, readCatalogMetas } from "../source/index.ts";
import { failure } from "./api/failures.ts";
import type { ImageSource } from "./api/sources.ts";

/** Finds the folder of an image; undefined if there is none. */
export type FindImageFolder = (reference: string) => string | undefined;

/**
 * Reads images from folders: catalogs in the file-based format, and bundles with `manifests` and `metadata`. The digest is that of the files.
 *
 * @example
 * ```ts
 * import { createFolderImageSource } from "@pintle/lifecycle/manager";
 *
 * const folders: Readonly<Record<string, string>> = { "example.com/catalog:latest": "catalog", "example.com/op:v1.0.0": "bundle" };
 * export const images = createFolderImageSource((reference) => folders[reference], Date.now);
 * ```
 */
export function createFolderImageSource(findFolder: FindImageFolder, now: () => number): ImageSource {
  const locate = (reference: string): string => {
    const folder = findFolder(reference);
    if (folder === undefined) throw failure(`error creating image source: ${reference}: no such image`);
    return folder;
  };
  return {
    async pullCatalog(reference) {
      const folder = locate(reference);
      return {
        canonicalReference: `${withoutTag(reference)}@sha256:${digestFolder(folder)}`,
        unpackedAt: now(),
        *readMetas() {
          for (const { located } of readCatalogMetas(folder)) yield located.meta;
        },
        async [Symbol.asyncDispose]() {},
      };
    },
    async pullBundle(reference) {
      return readBundleFolder(locate(reference));
    },
  };
}

function withoutTag(reference: string): string {
  const [name = reference] = reference.split("@");
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}

function digestFolder(folder: string): string {
  const hash = createHash("sha256");
  const add = (path: string) => {
    for (const entry of readdirSync(join(folder, path)).sort()) {
      const child = path === "" ? entry : `${path}/${entry}`;
      if (statSync(join(folder, child)).isDirectory()) add(child);
      else
        hash
          .update(`${child}\0`)
          .update(readFileSync(join(folder, child)))
          .update("\0");
    }
  };
  add("");
  return hash.digest("hex");
}
