import type { RegistryBundle } from "../bundle/index.ts";
import type { RenderContext } from "./render-bundle.ts";

/** The install modes that the bundle supports, sorted. */
export function supportedInstallModes({ csv }: RegistryBundle): string[] {
  const supported = (csv.spec?.installModes ?? []).filter((mode) => mode.supported === true).map((mode) => mode.type ?? "");
  return [...new Set(supported)].sort();
}

/** Says why the bundle cannot watch these namespaces, in the words of operator-controller; undefined if it can. */
export function findTargetNamespaceProblem(bundle: RegistryBundle, { namespace, targetNamespaces }: RenderContext): string | undefined {
  const modes = supportedInstallModes(bundle);
  const targets = new Set(targetNamespaces);
  const shown = `supported install modes [${modes.join(" ")}] do not support`;
  if (targets.size === 0) {
    return `${modes.includes("MultiNamespace") ? "at least" : "exactly"} one target namespace must be specified`;
  }
  if (targets.size === 1 && targets.has("")) return modes.includes("AllNamespaces") ? undefined : `${shown} targeting all namespaces`;
  const ownNamespace = targets.has(namespace) && !modes.includes("OwnNamespace") ? `${shown} targeting own namespace` : undefined;
  if (targets.size === 1) {
    if (targets.has(namespace)) return ownNamespace;
    if (modes.includes("SingleNamespace")) return undefined;
  } else {
    if (ownNamespace !== undefined) return ownNamespace;
    if (modes.includes("MultiNamespace") && !targets.has("")) return undefined;
  }
  return `${shown} target namespaces [${targetNamespaces.join(" ")}]`;
}
