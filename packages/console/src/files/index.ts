/**
 * The files of the page, ready to be sent.
 *
 * In: the page that Vite built. Out: bytes by path. `#page` is the built page in a published package, a module with the files as Brotli in base64, so that
 * an operator bundled into one file carries them. In this repository `#page` is `page-from-source.ts`, which builds the page when its sources changed.
 */

/** A file of the page. */
export interface PageFile {
  readonly contentType: string;
  /** Compressed with Brotli; browsers accept it on loopback and over TLS. */
  readonly brotli: Uint8Array;
  /** Whether its name has a hash, so that it never changes. */
  readonly immutable: boolean;
}

/** The files of the page by path: "index.html", "assets/index-3f2a.js". Every other path that is no file shows `index.html`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The built page, by path, as Brotli in base64. */
export type EncodedPage = Readonly<Record<string, string>>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Loads the page; the first time in this repository also builds it. */
export async function loadPageFiles(): Promise<PageFiles> {
  const { page } = await import("#page");
  return new Map(
    Object.entries(page).map(([file, text]) => [
      file,
      {
        contentType: CONTENT_TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
        brotli: Buffer.from(text, "base64"),
        immutable: file.startsWith("assets/"),
      },
    ]),
  );
}
