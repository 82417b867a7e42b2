import { PintleError } from "pintle/internal/errors";
import type { Blob } from "./blob.ts";
import { decompressChunks } from "./decompress.ts";
import { readTar, type TarContent } from "./read-tar.ts";

/** Limits of what an image may unpack to, so that a small one cannot fill memory or disk. */
export interface UnpackLimits {
  /** Of all files together, in bytes. Layers are read to their ends, so what is thrown away counts too. */
  readonly maxBytes: number;
  /** Files, folders and links. */
  readonly maxEntries: number;
}

/** Reads the content of a file of an image, and returns what stands for it. The file may turn out not to be part of the image: a later layer can remove it. */
export type ContentReader<T> = (content: AsyncIterable<Uint8Array>) => Promise<T>;

/** The files of an image by path. Links are resolved: a link to a file is the same content. */
export type ImageFiles<T> = ReadonlyMap<string, T>;

type TreeNode<T> =
  | { readonly kind: "folder"; readonly children: Map<string, TreeNode<T>> }
  | { readonly kind: "file"; readonly content: T }
  | { readonly kind: "link"; readonly target: string };

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 4096;
const MAX_DEPTH = 128;
const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";

/**
 * Applies the layers of an image in their order, and returns the files below `folders`, by their path in the image without leading slash. Every entry
 * is checked: paths and links that lead out of the image or of `folders`, and devices in them, are refused with an error that names them. The result
 * has no links, no `.` and no `..`.
 */
export async function applyLayers<T>(
  layers: readonly Blob[],
  folders: readonly string[],
  read: ContentReader<T>,
  limits: UnpackLimits,
): Promise<ImageFiles<T>> {
  const tree: ImageTree<T> = {
    root: { kind: "folder", children: new Map() },
    wanted: folders.map((folder) => splitPath(folder, folder)),
    read,
  };
  const budget = { bytes: limits.maxBytes, entries: limits.maxEntries };
  for (const [i, layer] of layers.entries()) {
    const where = `layer ${i + 1} of ${layers.length}`;
    const inThisLayer = new Set<string>();
    const limited = limitBytes(decompressChunks(layer.chunks()), budget, limits.maxBytes);
    try {
      for await (const entry of readTar(limited)) {
        if (--budget.entries < 0) throw unsafe(`the image has more than ${limits.maxEntries} files, folders and links`);
        const segments = splitPath(entry.path, entry.path);
        if (tree.wanted.some((wanted) => isWithin(segments, wanted))) await applyEntry(tree, segments, entry, inThisLayer);
        else applyWhiteoutAbove(tree, segments);
      }
    } catch (error) {
      if (!(error instanceof PintleError)) throw error;
      throw new PintleError(error.code, `${where}: ${error.message}`, { cause: error });
    }
  }
  return resolveFiles(tree);
}

interface ImageTree<T> {
  readonly root: TreeNode<T>;
  readonly wanted: readonly (readonly string[])[];
  readonly read: ContentReader<T>;
}

const isWithin = (path: readonly string[], folder: readonly string[]) =>
  path.length >= folder.length && folder.every((name, at) => path[at] === name);

async function* limitBytes(chunks: AsyncIterable<Uint8Array>, budget: { bytes: number }, maxBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    budget.bytes -= chunk.length;
    if (budget.bytes < 0) throw unsafe(`the image unpacks to more than ${Math.ceil(maxBytes / (1 << 20))} MiB`);
    yield chunk;
  }
}

/** The parts of a path of an entry. A leading slash means the root of the image. */
function splitPath(path: string, shown: string): readonly string[] {
  const refuse = (why: string) => unsafe(`the entry ${quote(shown)} ${why}`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refuse(`has a path of more than ${MAX_PATH_BYTES} bytes`);
  const segments = path.split("/").filter((name) => name !== "" && name !== ".");
  if (segments.includes("..")) throw refuse("has .. in its path, which could lead out of the image");
  if (segments.length > MAX_DEPTH) throw refuse(`is more than ${MAX_DEPTH} folders deep`);
  for (const name of segments) {
    if (Buffer.byteLength(name) > MAX_SEGMENT_BYTES) throw refuse(`has a name of more than ${MAX_SEGMENT_BYTES} bytes`);
    if (/[\0\\\uFFFD]/.test(name)) throw refuse("has a name with a backslash, or that is not UTF-8");
  }
  return segments;
}

async function applyEntry<T>(
  { root, read }: ImageTree<T>,
  segments: readonly string[],
  entry: TarContent,
  inThisLayer: Set<string>,
): Promise<void> {
  const name = segments.at(-1);
  if (name === undefined) return;
  const refuse = (why: string) => unsafe(`the entry ${quote(entry.path)} ${why}`);
  const parent = openFolder(root, segments.slice(0, -1), refuse);
  const isOwn = (child: string) => inThisLayer.has([...segments.slice(0, -1), child].join("/"));
  if (name === OPAQUE) {
    for (const child of [...parent.keys()]) if (!isOwn(child)) parent.delete(child);
    return;
  }
  if (name.startsWith(WHITEOUT)) {
    const hidden = name.slice(WHITEOUT.length);
    if (!isOwn(hidden)) parent.delete(hidden);
    return;
  }
  // With the folders above it: an opaque folder hides what lower layers have, not what this one has.
  for (let depth = segments.length; depth > 0; depth--) inThisLayer.add(segments.slice(0, depth).join("/"));
  switch (entry.type) {
    case "folder":
      if (parent.get(name)?.kind !== "folder") parent.set(name, { kind: "folder", children: new Map() });
      return;
    case "device":
      throw refuse("is a device, which bundles and catalogs do not contain");
    case "fifo":
      throw refuse("is a named pipe, which bundles and catalogs do not contain");
    case "link":
      if (Buffer.byteLength(entry.target) > MAX_PATH_BYTES) throw refuse(`is a link to a path of more than ${MAX_PATH_BYTES} bytes`);
      parent.set(name, { kind: "link", target: entry.target });
      return;
    case "hard link": {
      const target = findNode(root, splitPath(entry.target, entry.path));
      if (target?.kind !== "file") throw refuse(`is a hard link to ${quote(entry.target)}, which is not a file of this folder`);
      parent.set(name, target);
      return;
    }
    case "file":
      parent.set(name, { kind: "file", content: await read(entry.content) });
  }
}

/** A whiteout of a folder above a wanted one hides it too. */
function applyWhiteoutAbove<T>({ root, wanted }: ImageTree<T>, segments: readonly string[]): void {
  const name = segments.at(-1);
  if (name === undefined || !name.startsWith(WHITEOUT)) return;
  const above = name === OPAQUE ? segments.slice(0, -1) : [...segments.slice(0, -1), name.slice(WHITEOUT.length)];
  for (const folder of wanted) {
    if (!isWithin(folder, above)) continue;
    const parent = findNode(root, folder.slice(0, -1));
    if (parent?.kind === "folder") parent.children.delete(folder.at(-1)!);
  }
}

/** The children of a folder, which is created if it is missing. Links to folders are not followed: layers name the folder itself. */
function openFolder<T>(root: TreeNode<T>, segments: readonly string[], refuse: (why: string) => Error): Map<string, TreeNode<T>> {
  let folder = root;
  for (const name of segments) {
    if (folder.kind !== "folder") break;
    let next = folder.children.get(name);
    if (next === undefined) {
      next = { kind: "folder", children: new Map() };
      folder.children.set(name, next);
    }
    if (next.kind === "link") throw refuse(`is below the link ${JSON.stringify(name)}: its content could get out of the image`);
    if (next.kind === "file") throw refuse(`is below ${JSON.stringify(name)}, which is a file`);
    folder = next;
  }
  return (folder as Extract<TreeNode<T>, { kind: "folder" }>).children;
}

function findNode<T>(root: TreeNode<T>, segments: readonly string[]): TreeNode<T> | undefined {
  let node: TreeNode<T> | undefined = root;
  for (const name of segments) node = node?.kind === "folder" ? node.children.get(name) : undefined;
  return node;
}

const MAX_LINKS = 40;
/** What all links of an image together may take: links to links multiply. */
const MAX_LINK_STEPS = 10_000_000;

function resolveFiles<T>(tree: ImageTree<T>): Map<string, T> {
  const files = new Map<string, T>();
  const budget = { steps: MAX_LINK_STEPS };
  const visit = (node: TreeNode<T>, path: readonly string[]) => {
    if (node.kind === "folder") {
      for (const name of [...node.children.keys()].sort(compareBytes)) visit(node.children.get(name)!, [...path, name]);
    } else files.set(path.join("/"), node.kind === "file" ? node.content : followLink(tree, path, node.target, budget));
  };
  for (const folder of tree.wanted) {
    const node = findNode(tree.root, folder);
    if (node !== undefined) visit(node, folder);
  }
  return files;
}

/** Follows a link to a file, as the kernel would in a container, but only within the wanted folders. */
function followLink<T>({ root, wanted }: ImageTree<T>, path: readonly string[], target: string, budget: { steps: number }): T {
  const refuse = (why: string) => unsafe(`the entry ${quote(path.join("/"))} is a link to ${quote(target)}, which ${why}`);
  /** The nodes on the way, without the root. */
  const nodes: TreeNode<T>[] = [];
  const at: string[] = [];
  const enter = (name: string, node: TreeNode<T>) => {
    at.push(name);
    nodes.push(node);
  };
  const childOf = (name: string) => {
    const folder = nodes.at(-1) ?? root;
    return folder.kind === "folder" ? folder.children.get(name) : undefined;
  };
  const leave = () => {
    at.length = 0;
    nodes.length = 0;
  };
  if (!target.startsWith("/")) for (const name of path.slice(0, -1)) enter(name, childOf(name)!);
  const rest = target.split("/").reverse();
  let links = 0;
  while (rest.length > 0) {
    if (--budget.steps < 0) throw refuse("leads too far, with the other links of the image");
    const name = rest.pop()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (at.pop() === undefined) throw refuse("leads out of the image");
      nodes.pop();
      continue;
    }
    const node = childOf(name);
    if (node?.kind !== "link") {
      // What leads out is said before what does not exist: the image may be part of a larger one.
      if (node === undefined && !rest.includes("..")) at.push(name, ...rest.reverse().filter((each) => each !== "" && each !== "."));
      if (node === undefined) break;
      enter(name, node);
      continue;
    }
    if (++links > MAX_LINKS) throw refuse("leads back to itself");
    if (node.target.startsWith("/")) leave();
    for (const each of node.target.split("/").reverse()) rest.push(each);
  }
  const found = rest.length > 0 || at.length !== nodes.length ? undefined : nodes.at(-1);
  if (!wanted.some((folder) => isWithin(at, folder))) {
    throw refuse(`leads out of ${wanted.map((folder) => quote(`/${folder.join("/")}`)).join(" and ")}`);
  }
  if (found?.kind === "file") return found.content;
  throw refuse(found === undefined ? "does not exist in the image" : "is a folder: only links to files are supported");
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const quote = (text: string) => JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}...` : text);

function unsafe(message: string): PintleError {
  return new PintleError("PINTLE8032", message);
}
