import { type Api, variableOf } from "./api.ts";
import { withImport } from "./main-file.ts";
import { places } from "./source-text.ts";

type Named = Pick<Api, "kind" | "prefix">;

/** Whether the text has a controller of the kind. */
export const hasController = (text: string, { kind }: Named) => places(text, `controller(${kind},`).length > 0;

/** A resource's file with a controller that only looks; undefined where it imports nothing from the library by name. */
export function withController(text: string, api: Named): string | undefined {
  const imported = withImport(text, "controller", "pintle");
  return imported && `${imported.trimEnd()}\n\n${looker(api)}\n`;
}

export function looker(api: Named): string {
  return `/** Returns what should be beside it; the controller makes it so. What it makes must be in \`owns\`. */
export const ${variableOf(api)} = controller(${api.kind}, {
  reconcile({ object, log, want }) {
    log.info("seen", { name: object.metadata.name });
    return want({ children: {} });
  },
});`;
}
