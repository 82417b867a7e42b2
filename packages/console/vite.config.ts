/** How the page is built: static files with hashed names, no inline scripts or styles, because the content security policy forbids them. */
import path from "node:path";
import { defineConfig } from "vite";

export default defineConfig({
  root: path.join(import.meta.dirname, "src/page"),
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    emptyOutDir: true,
    // No file becomes a data: URL, and nothing is loaded ahead by an inline script.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
