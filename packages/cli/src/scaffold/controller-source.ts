import { type Api, controllerNameOption, controllerVariable } from "./api-files.ts";
import { addImport } from "./entry-file.ts";
import { findInCode } from "./source-scan.ts";

type ApiName = Pick<Api, "kind" | "prefix">;

/** Reports whether the source has a controller for the kind. */
export const hasController = (text: string, { kind }: ApiName) => findInCode(text, `controller(${kind},`).length > 0;

/** Returns the source with an empty controller; undefined if it has no named import from the library. */
export function addController(text: string, api: ApiName): string | undefined {
  const imported = addImport(text, "controller", "pintle");
  return imported && `${imported.trimEnd()}\n\n${renderEmptyController(api)}\n`;
}

export function renderEmptyController(api: ApiName): string {
  return `/** Returns the desired state; the library applies and prunes the children. List the kinds of the children in \`owns\`. */
export const ${controllerVariable(api)} = controller(${api.kind}, {${controllerNameOption(api)}
  reconcile({ object, log, want }) {
    log.info("Reconciling", { name: object.metadata.name });
    return want({ children: {} });
  },
});`;
}
