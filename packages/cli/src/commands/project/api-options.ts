import { defineResource, z } from "pintle";
import { CommandError, type ParsedArguments } from "../../command/index.ts";
import type { Api } from "../../scaffold/index.ts";

const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Returns the domain; throws a usage error unless it is a DNS name with at least one dot. */
export function parseDomain(domain: string): string {
  if (DNS_NAME.test(domain) && domain.includes(".")) return domain;
  throw new CommandError("PINTLE7005", `invalid --domain "${domain}": must be a DNS name with a dot, such as shop.example.com`, 2);
}

export const API_OPTIONS = {
  group: { type: "string" },
  version: { type: "string" },
  kind: { type: "string" },
  scope: { type: "string" },
  "cluster-scoped": { type: "boolean" },
  "no-controller": { type: "boolean" },
} as const;
export const EXTERNAL_OPTIONS = { external: { type: "boolean" }, plural: { type: "string" } } as const;
export const EXTERNAL_DESCRIPTIONS = {
  external: "use a kind that is not defined in the project (built-in or another operator's CRD): only a controller is created",
  plural: "with --external: plural of the kind, if it is irregular",
};
export const API_DESCRIPTIONS = {
  group: "API group: a full name, or a prefix of the project's domain (default: the domain)",
  version: "version of the resource (default: v1alpha1)",
  kind: "kind of the resource, such as Storefront",
  scope: "scope of the resource: Namespaced (default) or Cluster",
  "cluster-scoped": "same as --scope Cluster",
  "no-controller": "do not create a controller",
};

/** The built-in kinds that scaffolded sources and tests import, with the options that name them. */
const USED_BUILT_IN_KINDS: ReadonlyMap<string, string> = new Map([
  ["Deployment", "--group apps --version v1"],
  ["Namespace", "--group core --version v1"],
  ["CustomResourceDefinition", "--group apiextensions.k8s.io --version v1"],
]);

/** Parses --group, --version, --kind and --scope. */
export function parseApi({ values }: ParsedArguments, domain: string, fallbackKind?: string): Api {
  const usageError = (what: string) => new CommandError("PINTLE7005", what, 2);
  const kind = (values["kind"] ?? fallbackKind) as string | undefined;
  if (kind === undefined) throw usageError("missing --kind, for example --kind Storefront");
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) {
    const words = kind.match(/[A-Za-z0-9]+/g)?.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`) ?? [];
    const example = /^[A-Z]/.test(words[0] ?? "") ? words.join("") : "Storefront";
    throw usageError(`invalid --kind "${kind}": must start with a capital letter and contain only letters and digits, such as ${example}`);
  }
  const builtIn = values["external"] === true ? undefined : USED_BUILT_IN_KINDS.get(kind);
  if (builtIn !== undefined)
    throw usageError(
      `invalid --kind "${kind}": the scaffolded files use the built-in ${kind}. For a controller of that one add --external ${builtIn}, for a resource choose another name`,
    );
  const version = String(values["version"] ?? "v1alpha1");
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version))
    throw usageError(`invalid --version "${version}": must be a version such as v1alpha1, v1beta2 or v1`);
  const scope = values["cluster-scoped"] === true ? "Cluster" : String(values["scope"] ?? "Namespaced");
  if (values["cluster-scoped"] === true && values["scope"] === "Namespaced")
    throw usageError("--cluster-scoped and --scope Namespaced are mutually exclusive");
  if (scope !== "Namespaced" && scope !== "Cluster") throw usageError(`invalid --scope "${scope}": must be Namespaced or Cluster`);
  const groupOption = values["group"] as string | undefined;
  const group = groupOption === undefined ? domain : groupOption.includes(".") ? groupOption : `${groupOption}.${domain}`;
  if (!DNS_NAME.test(group))
    throw usageError(
      `invalid --group "${groupOption}": must be a DNS name of lower-case letters, digits, dashes and dots, such as store or store.example.com`,
    );
  return { group, version, kind, scope, controller: values["no-controller"] !== true };
}

/** Parses the options of an external kind. Its group is used as given; built-in kinds are imported from `pintle/kinds`. */
export async function parseExternalApi(args: ParsedArguments): Promise<Api> {
  const { group: groupOption, plural } = args.values as Readonly<Record<string, string | undefined>>;
  if (groupOption === undefined || args.values["version"] === undefined) {
    throw new CommandError("PINTLE7004", "--external requires --group and --version, for example --group apps --version v1", 2);
  }
  const group = groupOption === "core" ? "" : groupOption;
  const api = { ...parseApi({ ...args, values: { ...args.values, group: undefined } }, "example.com"), group };
  const module = `pintle/kinds/${group === "" ? "core" : group.split(".")[0]}/${api.version}`;
  const builtIn = (await import(module).catch(() => ({})))[api.kind] as { group: string; plural: string; scope: Api["scope"] } | undefined;
  if (builtIn !== undefined && builtIn.group === group) {
    return { ...api, scope: builtIn.scope, external: { plural: builtIn.plural, module } };
  }
  const { plural: english } = defineResource({ group: "example.com", version: "v1", kind: api.kind, spec: z.object({}) });
  return { ...api, external: { plural: plural ?? english } };
}
