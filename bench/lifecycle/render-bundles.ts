import { formatBlob } from "@pintle/lifecycle/internal/catalog";
import { renderReferences } from "@pintle/lifecycle/internal/source";

await renderReferences(process.argv.slice(2), { cwd: process.cwd(), signal: new AbortController().signal }, (blobs) => {
  for (const blob of blobs) process.stdout.write(formatBlob(blob.load(), "json"));
  return Promise.resolve();
});
